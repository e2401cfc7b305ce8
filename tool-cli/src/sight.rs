//! Who sees which tool: the person at the command line is the agent `operator` with the row `*`, which a policy file may
//! replace; the agent of an MCP server has the same row, or those of the policy file alone; other agents have the policy's.

use std::fmt;
use std::sync::Arc;

use tool_core::def::Surface;
use tool_core::{
    Caller, Executor, Policy, Reason, Registry, RowSource, Snapshot, SnapshotBuilder, Snapshots, ToolContext,
    ToolEntry, ToolError, explain,
};

use crate::builtin::Program;
use crate::cli::{ReadPolicy, StoredRows, for_command_line};
use crate::session::Session;
use crate::settings::Settings;
use crate::skill;

/// The agent that the person is.
pub(crate) const OPERATOR: &str = "operator";

/// The agent of an MCP server.
pub(crate) const MCP: &str = "mcp";

/// What commands of a program find: its tools, and what the person asked for.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The tools of the program.
    pub registry: Registry,
    /// What the person asked for.
    pub settings: Settings,
    /// What the built-in commands tell of.
    pub(crate) program: Program,
    /// What is kept of calls.
    #[cfg(feature = "store")]
    pub(crate) ledger: crate::store::Ledger,
}

impl Surroundings {
    /// The files that teach an agent the tools, as `skill` writes them: path and text.
    pub fn skills(&self) -> Vec<(String, String)> {
        skill::files(&self.program, &[])
    }

    /// The same for some of the tools.
    #[cfg(feature = "mcp")]
    pub(crate) fn skills_of(&self, tools: &Registry) -> Vec<(String, String)> {
        skill::files(&Program { registry: tools.clone(), ..self.program.clone() }, &[])
    }
}

/// What decides who sees which tool.
#[derive(Clone)]
pub(crate) struct Sight {
    ctx: ToolContext,
    policy: Option<Arc<dyn Policy>>,
    /// Where rows of agents are stored.
    stored: Option<(Arc<StoredRows>, Settings)>,
}

impl fmt::Debug for Sight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sight").field("policy", &self.policy.is_some()).finish_non_exhaustive()
    }
}

impl Sight {
    /// What an agent sees on a surface.
    pub(crate) fn snapshot(
        &self,
        agent: &str,
        surface: Surface,
        registry: &Registry,
    ) -> Result<Snapshot, ToolError> {
        let built = Snapshot::builder(agent).surface(Some(surface)).context(&self.ctx, registry);
        let stored = self
            .stored
            .as_ref()
            .map(|(stored, settings)| stored(settings, agent))
            .transpose()?
            .unwrap_or_default();
        with_rows(built, agent, self.policy.as_deref(), &stored).build(registry)
    }
}

impl Sight {
    /// The agent, of those whose calls a program makes, that the policy lets call a tool without ever asking.
    pub(crate) fn never_asks(&self, tool: &ToolEntry, registry: &Registry) -> Option<&'static str> {
        let policy = self.policy.as_deref()?;
        let asks = |agent: &str| policy.approval(agent, tool).is_none_or(|approval| approval.asks(tool));
        let sees = |agent: &str, surface| {
            let snapshot = self.snapshot(agent, surface, registry);
            // What the host or a person has yet to give is not the policy's.
            let theirs = |reason| matches!(reason, Reason::CapabilityMissing | Reason::SecretMissing);
            snapshot.is_ok_and(|snapshot| explain(tool, &snapshot).iter().all(|hidden| theirs(hidden.reason)))
        };
        let agents = [(OPERATOR, Surface::Cli), (MCP, Surface::Mcp)];
        let found = agents.into_iter().find(|(agent, surface)| !asks(agent) && sees(agent, *surface));
        found.map(|(agent, _)| agent)
    }
}

/// The rows and flags of an agent.
fn with_rows(
    built: SnapshotBuilder,
    agent: &str,
    policy: Option<&dyn Policy>,
    stored: &[(String, RowSource)],
) -> SnapshotBuilder {
    let own = match policy {
        Some(policy) => agent == OPERATOR && !policy.knows(agent),
        None => [OPERATOR, MCP].contains(&agent),
    };
    let built = if own { built.row("*", RowSource::Global) } else { built };
    let each = stored.iter().cloned();
    let built = each.fold(built, |built, (pattern, source)| built.row(pattern, source));
    let Some(policy) = policy else { return built };
    let built = built.rows(policy.rows(agent));
    policy.flags(agent).into_iter().fold(built, |built, (tag, on)| built.flag(tag, on))
}

/// The snapshots of the person's calls.
struct OperatorSight(Registry, Vec<(String, RowSource)>);

impl Snapshots for OperatorSight {
    fn snapshot(
        &self,
        ctx: &ToolContext,
        caller: Caller,
        policy: Option<&dyn Policy>,
    ) -> Result<Arc<Snapshot>, ToolError> {
        let agent = ctx.agent();
        let built = Snapshot::builder(agent).surface(caller.surface()).context(ctx, &self.0);
        Ok(Arc::new(with_rows(built, agent, policy, &self.1).build(&self.0)?))
    }
}

/// The snapshots of whatever agent calls: that of a recorded call that is run again.
#[cfg(feature = "store")]
pub(crate) struct AgentSights {
    pub(crate) registry: Registry,
    /// Where rows of agents are stored.
    pub(crate) stored: Option<Arc<StoredRows>>,
    pub(crate) settings: Settings,
}

#[cfg(feature = "store")]
impl Snapshots for AgentSights {
    fn snapshot(
        &self,
        ctx: &ToolContext,
        caller: Caller,
        policy: Option<&dyn Policy>,
    ) -> Result<Arc<Snapshot>, ToolError> {
        let stored = self.stored.as_ref().map(|stored| stored(&self.settings, ctx.agent())).transpose()?;
        let of_agent = OperatorSight(self.registry.clone(), stored.unwrap_or_default());
        of_agent.snapshot(ctx, caller, policy)
    }
}

/// The policy file that was asked for.
pub(crate) fn read_policy(
    read: Option<&ReadPolicy>,
    registry: &Registry,
    settings: &Settings,
) -> Result<Option<Arc<dyn Policy>>, ToolError> {
    let Some(file) = &settings.policy else { return Ok(None) };
    let Some(read) = read else {
        let text = "This program reads no policy files.";
        return Err(ToolError::not_configured(text)
            .code("policy_unsupported")
            .hint(settings.without_policy()));
    };
    read(file, settings, registry).map(Some)
}

impl Session<'_> {
    /// The executor of the person's calls: that of the program, or with a policy file one that holds calls to it.
    pub(crate) fn gated(&self, registry: &Registry, settings: &Settings) -> Result<Executor, ToolError> {
        let (policy, stored) = (self.policy(registry, settings)?, self.cli.rows_of(settings, OPERATOR)?);
        if policy.is_none() && stored.is_empty() {
            return self.cli.executor_of(registry, settings);
        }
        if self.cli.executor.is_some() {
            let text = "This program decides by itself what its tools may do.";
            return Err(ToolError::not_configured(text)
                .code("policy_unsupported")
                .hint(settings.without_policy()));
        }
        let builder = Executor::standard(registry.clone()).gate(OperatorSight(registry.clone(), stored));
        let builder = self.cli.layered(builder, settings)?;
        let builder = for_command_line(builder);
        match policy {
            Some(policy) => builder.policy(policy),
            None => builder,
        }
        .build()
    }

    /// What decides who sees which tool.
    pub(crate) fn sight(&self, registry: &Registry, settings: &Settings) -> Result<Sight, ToolError> {
        let policy = self.policy(registry, settings)?;
        // A context that cannot be made here is reported when a tool is called.
        let made = self.cli.context_of(settings, &self.io);
        let ctx = made.unwrap_or_else(|_| ToolContext::builder().secrets(settings.secrets())).build();
        let stored = self.cli.rows.clone().map(|stored| (stored, settings.clone()));
        Ok(Sight { ctx, policy, stored })
    }

    /// What the policy file says, for a command that looks at nothing of its surroundings.
    pub(crate) fn policy_alone(&self, registry: &Registry, settings: &Settings) -> Result<Sight, ToolError> {
        let policy = self.policy(registry, settings)?;
        Ok(Sight { ctx: ToolContext::empty(), policy, stored: None })
    }

    /// The policy file that was asked for.
    pub(crate) fn policy(
        &self,
        registry: &Registry,
        settings: &Settings,
    ) -> Result<Option<Arc<dyn Policy>>, ToolError> {
        read_policy(self.cli.policy.as_deref(), registry, settings)
    }
}
