//! A loaded policy.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use tool_core::{Limits, PolicyRequest, Registry, Row, ToolApproval, ToolEntry, ToolError, canonical};

use crate::mistake::{LoadError, Mistake, MistakeCode, Position};
use crate::paths::Paths;
use crate::rules::Lists;
use crate::rules::args::ArgRules;
use crate::rules::commands::CommandPattern;
use crate::rules::domains::DomainPattern;
use crate::rules::paths::PathPattern;
use crate::rules::recipients::RecipientPattern;
use crate::{from_toml, from_yaml, judge, validate};

/// Bytes of a policy file.
const FILE_MAX: usize = 1024 * 1024;

/// How a policy file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// TOML 1.0.
    Toml,
    /// YAML 1.2, core schema.
    Yaml,
}

impl Syntax {
    /// The syntax that a file's name tells.
    pub fn of(file: &Path) -> Option<Syntax> {
        match file.extension()?.to_str()? {
            "toml" => Some(Syntax::Toml),
            "yaml" | "yml" => Some(Syntax::Yaml),
            _ => None,
        }
    }
}

/// Which agent may call which tool with which arguments.
#[derive(Clone, Debug)]
pub struct Policy {
    pub(crate) agents: BTreeMap<String, AgentPolicy>,
    pub(crate) paths: Paths,
    sha256: String,
}

/// What holds for one agent.
#[derive(Clone, Debug)]
pub(crate) struct AgentPolicy {
    pub(crate) rows: Vec<Row>,
    pub(crate) flags: BTreeMap<String, bool>,
    pub(crate) approve: ToolApproval,
    pub(crate) limits: Limits,
    pub(crate) tools: BTreeMap<String, ToolPolicy>,
}

/// What holds for one tool of an agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolPolicy {
    /// In the order of the parameters.
    pub(crate) args: Vec<(String, ArgRules)>,
    pub(crate) paths: Lists<PathPattern>,
    pub(crate) domains: Lists<DomainPattern>,
    pub(crate) recipients: Lists<RecipientPattern>,
    pub(crate) commands: Lists<CommandPattern>,
    /// Where the lists of commands begin.
    pub(crate) command_positions: Vec<Position>,
    pub(crate) approve: Option<ToolApproval>,
    pub(crate) limits: Limits,
}

impl Policy {
    /// Reads the text of a policy file for the tools of a registry. `file` is its name in messages.
    ///
    /// # Errors
    /// All mistakes, by position.
    pub fn load(
        file: &str,
        text: &str,
        syntax: Syntax,
        registry: &Registry,
        paths: Paths,
    ) -> Result<Policy, LoadError> {
        let parse = || {
            if text.len() > FILE_MAX {
                let (at, code) = (Position::START, MistakeCode::TooLarge);
                let text = format!("the file has more than {FILE_MAX} bytes");
                return Err(vec![Mistake { at, code, text, suggestion: None }]);
            }
            let root = match syntax {
                Syntax::Toml => from_toml::parse(text)?,
                Syntax::Yaml => from_yaml::parse(text)?,
            };
            validate::validate(&root, syntax, registry, &paths)
        };
        let agents = parse().map_err(|mut mistakes| {
            mistakes.sort_by_key(|mistake| mistake.at);
            LoadError { file: file.to_owned(), mistakes }
        })?;
        let sha256 = canonical::hex(&Sha256::digest(text));
        Ok(Policy { agents, paths, sha256 })
    }

    /// Reads a policy file.
    ///
    /// # Errors
    /// `not_configured`: `policy_unreadable` for a file that cannot be read or whose name does not tell its syntax, else the
    /// code of the first mistake.
    pub fn read(file: &Path, registry: &Registry, paths: Paths) -> Result<Policy, ToolError> {
        let shown = file.display().to_string();
        let unreadable = |text: String| ToolError::not_configured(text).code("policy_unreadable");
        let syntax = Syntax::of(file).ok_or_else(|| {
            unreadable(format!("{shown} is no policy file.")).hint("name it .toml, .yaml or .yml")
        })?;
        let text = read_bounded(file)
            .map_err(|error| unreadable(format!("The policy file {shown} cannot be read: {error}.")))?;
        Ok(Policy::load(&shown, &text, syntax, registry, paths)?)
    }

    /// The agents that the file names.
    pub fn agents(&self) -> impl Iterator<Item = &str> {
        self.agents.keys().map(String::as_str)
    }

    pub(crate) fn tool(&self, agent: &str, tool: &str) -> Option<&ToolPolicy> {
        self.agents.get(agent)?.tools.get(tool)
    }

    /// The lists of paths of a tool, if it has any.
    fn paths_of(&self, agent: &str, tool: &str) -> Option<&Lists<PathPattern>> {
        self.tool(agent, tool).map(|tool| &tool.paths).filter(|paths| !paths.is_absent())
    }
}

/// The text of a file, or of its beginning if it is longer than a policy may be.
fn read_bounded(file: &Path) -> std::io::Result<String> {
    // A pipe would be waited at for ever, and a device may never end.
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(file)?.take(FILE_MAX as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > FILE_MAX {
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    String::from_utf8(bytes).map_err(|_| std::io::Error::other("it is not UTF-8"))
}

impl tool_core::Policy for Policy {
    fn sha256(&self) -> &str {
        &self.sha256
    }

    fn knows(&self, agent: &str) -> bool {
        self.agents.contains_key(agent)
    }

    fn rows(&self, agent: &str) -> Vec<Row> {
        self.agents.get(agent).map(|agent| agent.rows.clone()).unwrap_or_default()
    }

    fn flags(&self, agent: &str) -> Vec<(String, bool)> {
        let flags = self.agents.get(agent).map(|agent| agent.flags.clone()).unwrap_or_default();
        flags.into_iter().collect()
    }

    fn judge(&self, request: &PolicyRequest<'_>) -> Result<(), ToolError> {
        judge::judge(self, request)
    }

    fn judge_path(&self, agent: &str, tool: &str, path: &Path) -> Result<(), ToolError> {
        self.paths_of(agent, tool).map_or(Ok(()), |paths| paths.judge_opened(tool, path))
    }

    fn judge_url(&self, agent: &str, tool: &str, url: &str) -> Result<(), ToolError> {
        let domains = self.tool(agent, tool).map(|tool| &tool.domains).filter(|domains| !domains.is_absent());
        domains.map_or(Ok(()), |domains| domains.judge_reached(tool, url))
    }

    fn has_path_rules(&self, agent: &str, tool: &str) -> bool {
        self.paths_of(agent, tool).is_some()
    }

    fn approval(&self, agent: &str, tool: &ToolEntry) -> Option<ToolApproval> {
        let agent = self.agents.get(agent)?;
        let own = agent.tools.get(tool.name()).and_then(|tool| tool.approve);
        Some(own.unwrap_or(agent.approve))
    }

    fn agent_limits(&self, agent: &str) -> Limits {
        self.agents.get(agent).map(|agent| agent.limits).unwrap_or_default()
    }

    fn tool_limits(&self, agent: &str, tool: &ToolEntry) -> Limits {
        self.tool(agent, tool.name()).map(|tool| tool.limits).unwrap_or_default()
    }
}
