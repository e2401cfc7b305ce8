//! What the gate knows of a caller: built once per turn and shared.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;

use super::agents::{Agent, MAX_AGENT_DEPTH, Target, agent_tool, agent_tool_name, bad_slug, is_slug};
use super::pattern::Pattern;
use crate::context::ToolContext;
use crate::def::Surface;
use crate::error::ToolError;
use crate::registry::{Registry, ToolEntry};

/// Where a row comes from. Rows of all sources are united; removing those of one leaves the others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowSource {
    /// An operator's `tools enable` or `disable`.
    Manual,
    /// The policy file.
    Policy,
    /// The host's own, for all agents.
    Global,
    /// A skill of this name.
    Skill(String),
}

impl fmt::Display for RowSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RowSource::Manual => f.write_str("manual"),
            RowSource::Policy => f.write_str("policy"),
            RowSource::Global => f.write_str("global"),
            RowSource::Skill(name) => write!(f, "skill:{name}"),
        }
    }
}

/// One enablement, or one exclusion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pattern: Pattern,
    source: RowSource,
}

impl Row {
    /// A row.
    pub fn new(pattern: Pattern, source: RowSource) -> Row {
        Row { pattern, source }
    }

    /// Which tools it means.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Where it comes from.
    pub fn source(&self) -> &RowSource {
        &self.source
    }
}

/// What surrounds the caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runtime {
    /// The categories of harness tools that it carries.
    pub harness: BTreeSet<String>,
    /// Whether there is a run that a terminal tool can end.
    pub terminal: bool,
}

/// Everything that decides which tools a caller sees.
#[derive(Clone, Debug)]
pub struct Snapshot {
    known: Known,
    /// The tools that ask other agents, and whom each asks.
    agent_tools: Registry,
    targets: BTreeMap<String, String>,
}

#[derive(Clone, Debug)]
struct Known {
    agent: String,
    tenant: String,
    surface: Option<Surface>,
    runtime: Runtime,
    rows: Vec<Row>,
    flags: BTreeMap<String, bool>,
    secrets: BTreeSet<String>,
    capabilities: HashSet<TypeId>,
    agents: Vec<Agent>,
    depth: u32,
    max_depth: u32,
    chain: Vec<String>,
    subset: Option<BTreeSet<String>>,
    /// Tools that need no row: the readers of what other tools leave behind.
    offered: BTreeSet<String>,
}

impl Snapshot {
    /// Starts a snapshot of an agent that sees nothing yet.
    pub fn builder(agent: impl Into<String>) -> SnapshotBuilder {
        SnapshotBuilder {
            known: Known {
                agent: agent.into(),
                tenant: String::new(),
                surface: None,
                runtime: Runtime::default(),
                rows: Vec::new(),
                flags: BTreeMap::new(),
                secrets: BTreeSet::new(),
                capabilities: HashSet::new(),
                agents: Vec::new(),
                depth: 0,
                max_depth: MAX_AGENT_DEPTH,
                chain: Vec::new(),
                subset: None,
                offered: BTreeSet::new(),
            },
            texts: Vec::new(),
        }
    }

    /// Starts from this one, for instance for a spawned agent.
    pub fn to_builder(&self) -> SnapshotBuilder {
        SnapshotBuilder { known: self.known.clone(), texts: Vec::new() }
    }

    /// The agent.
    pub fn agent(&self) -> &str {
        &self.known.agent
    }

    /// The tenant; empty for the only one.
    pub fn tenant(&self) -> &str {
        &self.known.tenant
    }

    /// Where the caller stands; `None` for tools and tests.
    pub fn surface(&self) -> Option<Surface> {
        self.known.surface
    }

    /// What surrounds the caller.
    pub fn runtime(&self) -> &Runtime {
        &self.known.runtime
    }

    /// The rows of all sources.
    pub fn rows(&self) -> &[Row] {
        &self.known.rows
    }

    /// How deep agents have asked agents.
    pub fn depth(&self) -> u32 {
        self.known.depth
    }

    /// How deep they may.
    pub fn max_depth(&self) -> u32 {
        self.known.max_depth
    }

    /// The agents above this one, outermost first.
    pub fn chain(&self) -> &[String] {
        &self.known.chain
    }

    /// The tools that a spawned agent was given; `None` for an agent that was not spawned.
    pub fn subset(&self) -> Option<&BTreeSet<String>> {
        self.known.subset.as_ref()
    }

    /// The tools that ask other agents.
    pub fn agent_tools(&self) -> &Registry {
        &self.agent_tools
    }

    /// The rows that enable nothing: no tool of the registry and no agent matches.
    pub fn idle_rows<'a>(&'a self, registry: &'a Registry) -> impl Iterator<Item = &'a Row> {
        let positive = self.known.rows.iter().filter(|row| !row.pattern.is_negative());
        positive.filter(|row| {
            let tools = registry.iter().any(|tool| row.pattern.matches(tool));
            !tools && !self.targets.values().any(|slug| row.pattern.means_agent(slug))
        })
    }

    pub(super) fn flag(&self, tag: &str) -> Option<bool> {
        self.known.flags.get(tag).copied()
    }

    pub(super) fn has_secret(&self, key: &str) -> bool {
        self.known.secrets.contains(key)
    }

    pub(super) fn provides(&self, id: TypeId) -> bool {
        self.known.capabilities.contains(&id)
    }

    pub(super) fn offers(&self, tool: &str) -> bool {
        self.known.offered.contains(tool)
    }

    /// The agent that a tool asks, if it is one of the agent tools.
    pub(super) fn target(&self, tool: &str) -> Option<Target<'_>> {
        let slug = self.targets.get(tool)?;
        let agent = self.known.agents.iter().find(|agent| agent.slug == *slug);
        Some(Target { slug, online: agent.map(|agent| agent.online) })
    }
}

/// Collects what a snapshot knows.
#[derive(Clone, Debug)]
#[must_use]
pub struct SnapshotBuilder {
    known: Known,
    /// Rows as written; they are read when the snapshot is built.
    texts: Vec<(String, RowSource)>,
}

impl SnapshotBuilder {
    /// The tenant.
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.known.tenant = tenant.into();
        self
    }

    /// Where the caller stands.
    pub fn surface(mut self, surface: Option<Surface>) -> Self {
        self.known.surface = surface;
        self
    }

    /// What surrounds the caller.
    pub fn runtime(mut self, runtime: Runtime) -> Self {
        self.known.runtime = runtime;
        self
    }

    /// Adds a row.
    pub fn row(mut self, pattern: impl Into<String>, source: RowSource) -> Self {
        self.texts.push((pattern.into(), source));
        self
    }

    /// Adds rows.
    pub fn rows(mut self, rows: impl IntoIterator<Item = Row>) -> Self {
        self.known.rows.extend(rows);
        self
    }

    /// Turns a flag on or off; one that is not named is on.
    pub fn flag(mut self, tag: impl Into<String>, on: bool) -> Self {
        self.known.flags.insert(tag.into(), on);
        self
    }

    /// Names a secret that has a value.
    pub fn secret(mut self, key: impl Into<String>) -> Self {
        self.known.secrets.insert(key.into());
        self
    }

    /// Names a type that the context provides.
    pub fn capability(mut self, id: TypeId) -> Self {
        self.known.capabilities.insert(id);
        self
    }

    /// Looks up which of the secrets and types that the tools of a registry declare a context has.
    pub fn context(mut self, ctx: &ToolContext, registry: &Registry) -> Self {
        for def in registry.iter().map(ToolEntry::def) {
            let set = def.secrets.iter().map(|secret| secret.key).filter(|key| ctx.has_secret(key));
            self.known.secrets.extend(set.map(str::to_owned));
            let ids = def.capabilities.iter().map(|wanted| (wanted.id)());
            self.known.capabilities.extend(ids.filter(|id| ctx.provides(*id)));
        }
        self
    }

    /// The agents that can be asked.
    pub fn agents(mut self, agents: impl IntoIterator<Item = Agent>) -> Self {
        self.known.agents = agents.into_iter().collect();
        self
    }

    /// How deep agents have asked agents, and how deep they may.
    pub fn depth(mut self, depth: u32, max: u32) -> Self {
        (self.known.depth, self.known.max_depth) = (depth, max);
        self
    }

    /// The agents above this one, outermost first.
    pub fn chain(mut self, chain: impl IntoIterator<Item = String>) -> Self {
        self.known.chain = chain.into_iter().collect();
        self
    }

    /// The tools of a spawned agent.
    pub fn subset(mut self, subset: Option<BTreeSet<String>>) -> Self {
        self.known.subset = subset;
        self
    }

    /// Names a tool that needs no row.
    pub fn offer(mut self, tool: impl Into<String>) -> Self {
        self.known.offered.insert(tool.into());
        self
    }

    /// The snapshot for the tools of a registry.
    ///
    /// # Errors
    /// `invalid_args`, code `bad_pattern` or `bad_agent_slug`, for a row that cannot be read; `conflict`, code
    /// `agent_name_collision` or `tool_name_taken`, where the tool of an agent would have another's name.
    pub fn build(self, registry: &Registry) -> Result<Snapshot, ToolError> {
        let SnapshotBuilder { mut known, texts } = self;
        for (text, source) in texts {
            known.rows.push(Row::new(Pattern::parse(&text)?, source));
        }
        let mut targets: BTreeMap<String, String> = BTreeMap::new();
        for slug in wanted(&known) {
            if !is_slug(&slug) {
                return Err(bad_slug(&slug));
            }
            let name = agent_tool_name(&slug);
            if registry.get(&name).is_some() {
                let text = format!("The agent {slug} cannot be offered: there is a tool called {name}.");
                return Err(ToolError::conflict(text).code("tool_name_taken"));
            }
            if let Some(other) = targets.insert(name.clone(), slug.clone()) {
                let text = format!("The agents {other} and {slug} would both be the tool {name}.");
                return Err(ToolError::conflict(text).code("agent_name_collision"));
            }
        }
        let agent_tools = offered(&targets)?;
        Ok(Snapshot { known, agent_tools, targets })
    }
}

/// The slugs that rows offer: those that are named, and those in the directory that match.
fn wanted(known: &Known) -> BTreeSet<String> {
    let positive = || known.rows.iter().map(Row::pattern).filter(|pattern| !pattern.is_negative());
    let named = positive().filter_map(Pattern::exact_agent).map(str::to_owned);
    let found = known.agents.iter().map(|agent| &agent.slug);
    let found = found.filter(|slug| positive().any(|pattern| pattern.means_agent(slug))).cloned();
    named.chain(found).collect()
}

/// The tools that ask these agents.
fn offered(targets: &BTreeMap<String, String>) -> Result<Registry, ToolError> {
    if targets.is_empty() {
        return Ok(Registry::none());
    }
    let mut built = Registry::builder();
    for slug in targets.values() {
        built = built.add_dyn(agent_tool(slug)?);
    }
    built.build().map_err(|error| ToolError::internal("The agents cannot be tools.").source(error))
}
