//! What a policy allows that hardly anybody means to allow.

use std::fmt;

use crate::mistake::Position;
use crate::policy::Policy;

/// Programs that run whatever their arguments say.
const WIDE: [&str; 24] = [
    "sh", "bash", "dash", "zsh", "fish", "ksh", "busybox", "python", "python3", "perl", "ruby", "node",
    "deno", "bun", "php", "lua", "awk", "gawk", "env", "xargs", "find", "sudo", "nohup", "timeout",
];

/// Something that is allowed and may not be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where its list begins.
    pub at: Position,
    /// The code, `policy_wide_command`.
    pub code: &'static str,
    /// What is allowed.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.at.line, self.at.column, self.text)
    }
}

impl Policy {
    /// What is allowed and may not be meant.
    pub fn lint(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for (agent, policy) in &self.agents {
            for (tool, rules) in &policy.tools {
                let wide = rules.commands.allowed.iter().flatten().filter_map(|(_, own)| own.wide_program());
                for program in wide.filter(|program| WIDE.contains(program)) {
                    let at = rules.command_positions.first().copied().unwrap_or(Position::START);
                    let text =
                        format!("{agent} may run {program} with any arguments through {tool}, so anything");
                    warnings.push(Warning { at, code: "policy_wide_command", text });
                }
            }
        }
        warnings.sort_by_key(|warning| warning.at);
        warnings
    }
}
