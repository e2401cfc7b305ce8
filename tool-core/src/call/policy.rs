//! What a policy says, as the pipeline sees it. Reading policy files is another crate's business.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::approve::ApprovalLevel;
use super::gate::Row;
use crate::error::ToolError;
use crate::registry::ToolEntry;

/// Decides what agents may do with the tools that they see.
///
/// A policy is immutable; a changed file is a new policy, and calls that were let in by the old one finish under it.
pub trait Policy: Send + Sync {
    /// The SHA-256 of its text in lower-case hex, as audit rows carry it.
    fn sha256(&self) -> &str;

    /// Whether the policy says anything of an agent.
    fn knows(&self, agent: &str) -> bool;

    /// The rows of an agent, with source `policy`.
    fn rows(&self, agent: &str) -> Vec<Row>;

    /// The flags of an agent: tags that are turned on or off.
    fn flags(&self, agent: &str) -> Vec<(String, bool)>;

    /// Judges the decoded arguments of a call.
    ///
    /// # Errors
    /// `denied` or `invalid_args`, with every violation in `details.violations`.
    fn judge(&self, request: &PolicyRequest<'_>) -> Result<(), ToolError>;

    /// Judges a path that a tool of an agent has opened: absolute, without links. Capabilities ask this about what they
    /// hold, since a name that was judged may mean another file by then.
    ///
    /// # Errors
    /// `denied`, as [`judge`](Self::judge) would refuse a parameter with this path.
    fn judge_path(&self, agent: &str, tool: &str, path: &Path) -> Result<(), ToolError> {
        let _ = (agent, tool, path);
        Ok(())
    }

    /// Whether [`judge_path`](Self::judge_path) can refuse anything to a tool of an agent; where it cannot, nobody looks
    /// for paths to ask about.
    fn has_path_rules(&self, agent: &str, tool: &str) -> bool {
        let _ = (agent, tool);
        true
    }

    /// Judges an address that a tool of an agent is about to reach, such as that of a redirect: the capability asks this about
    /// each.
    ///
    /// # Errors
    /// `denied`, as [`judge`](Self::judge) would refuse a parameter with this address.
    fn judge_url(&self, agent: &str, tool: &str, url: &str) -> Result<(), ToolError> {
        let _ = (agent, tool, url);
        Ok(())
    }

    /// When calls of a tool need approval; `None` leaves that to the executor.
    fn approval(&self, agent: &str, tool: &ToolEntry) -> Option<ToolApproval>;

    /// The limits of an agent as a whole.
    fn agent_limits(&self, agent: &str) -> Limits;

    /// The limits of one tool of an agent.
    fn tool_limits(&self, agent: &str, tool: &ToolEntry) -> Limits;
}

/// A call as a policy judges it.
#[derive(Clone, Copy, Debug)]
pub struct PolicyRequest<'a> {
    /// Who calls.
    pub agent: &'a str,
    /// The tool, under its effective name.
    pub tool: &'a ToolEntry,
    /// The normal form of the arguments, defaults included.
    pub args: &'a Value,
    /// The parameters that the caller gave.
    pub given: &'a [String],
}

/// When calls of one tool need approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolApproval {
    /// Always.
    Ask,
    /// Never.
    Never,
    /// When the level covers its effects.
    Level(ApprovalLevel),
}

impl ToolApproval {
    /// Whether calls of a tool need approval.
    pub fn asks(self, tool: &ToolEntry) -> bool {
        match self {
            ToolApproval::Ask => true,
            ToolApproval::Never => false,
            ToolApproval::Level(level) => level.covers(tool.def()),
        }
    }
}

/// How much is allowed; `None` sets no limit of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// How often.
    pub rate: Option<Rate>,
    /// How many at once.
    pub max_concurrent: Option<u32>,
    /// How many in one run.
    pub max_calls_per_run: Option<u64>,
    /// How long a call may run; it can only lower the tool's own limit.
    pub timeout: Option<Duration>,
    /// Bytes of a result.
    pub max_output_bytes: Option<usize>,
}

impl Limits {
    /// Whether anything is limited that only the limit step can keep.
    #[cfg(not(feature = "limit"))]
    pub(super) fn is_limited(&self) -> bool {
        self.rate.is_some() || self.max_concurrent.is_some() || self.max_calls_per_run.is_some()
    }
}

/// How often something may happen: `count` in `period`, at most `burst` at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    /// How many in a period.
    pub count: u32,
    /// The period.
    pub period: Duration,
    /// How many at once after a rest.
    pub burst: u32,
}

/// The units of a rate.
const UNITS: [(&str, u64); 4] = [("s", 1), ("min", 60), ("h", 3_600), ("day", 86_400)];

/// The greatest count of a rate.
const COUNT_MAX: u32 = 1_000_000;

impl Rate {
    /// Reads `N/s`, `N/min`, `N/h` or `N/day`, N from 1 to 1,000,000; without a burst of its own the whole count may come at
    /// once.
    pub fn parse(text: &str, burst: Option<u32>) -> Option<Rate> {
        let (count, unit) = text.split_once('/')?;
        let digits = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
        let count = count.parse().ok().filter(|count| digits && (1..=COUNT_MAX).contains(count))?;
        let seconds = UNITS.iter().find(|row| row.0 == unit)?.1;
        let burst = burst.unwrap_or(count);
        (burst > 0).then_some(Rate { count, period: Duration::from_secs(seconds), burst })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_a_count_and_a_unit_and_nothing_else() {
        let rate = Rate::parse("10/min", None).unwrap();
        assert_eq!((rate.count, rate.period.as_secs(), rate.burst), (10, 60, 10));
        assert_eq!(Rate::parse("1000000/day", Some(3)).unwrap().burst, 3);
        for wrong in
            ["", "10", "0/s", "1000001/s", "5/week", "-1/s", "+1/s", "1.5/s", "10 /s", "10/S", "10/s/s"]
        {
            assert_eq!(Rate::parse(wrong, None), None, "{wrong}");
        }
        assert_eq!(Rate::parse("10/s", Some(0)), None);
    }
}
