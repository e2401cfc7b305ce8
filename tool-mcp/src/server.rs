//! The server: an executor and what of it clients see. How rmcp asks it is in `handler`, who asks in `connection`,
//! a call and its rounds in `rounds`.

use std::num::NonZeroUsize;
use std::sync::{Arc, PoisonError, RwLock};

use rmcp::model::{Implementation, ProtocolVersion, ServerCapabilities, ServerConfig};
use tokio::sync::watch;
use tool_core::search::{makes_calls, with_search};
use tool_core::{
    ApprovalLevel, Executor, ExecutorBuilder, Policy, RowSource, ToolApproval, ToolContext, ToolEntry,
    ToolError,
};

use crate::ask::Confirm;
use crate::builder::{McpServerBuilder, for_clients};
use crate::decided::Decided;
use crate::filter::{AGENT, Filter};
use crate::instructions::instructions;
use crate::mcp_call::McpCall;
use crate::sight::Sight;
use crate::skills;
use crate::state::Seal;

mod connection;
mod handler;
mod rounds;

pub(crate) use connection::Connection;
pub(crate) use handler::{Handler, Note, Pages, SessionEnd, ended_with};
#[cfg(feature = "raw")]
pub(crate) use handler::{answer, typed};
pub(crate) use rounds::{Answer, Encoded, LOCAL, Request};
#[cfg(test)]
pub(crate) use rounds::{IDEMPOTENCY_KEY, TRACEPARENT};

/// What a server says of itself.
#[derive(Clone, Debug)]
pub(crate) struct About {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) version: String,
}

/// A registry as an MCP server. A clone is the same server: every connection and every request share it.
#[derive(Clone)]
pub struct McpServer {
    inner: Arc<Inner>,
}

struct Inner {
    about: About,
    instructions: Option<String>,
    executor: Executor,
    ctx: ToolContext,
    policy: Option<Arc<dyn Policy>>,
    rows: Vec<(String, RowSource)>,
    sight: RwLock<Arc<Sight>>,
    confirm: Confirm,
    approve: ApprovalLevel,
    seal: Seal,
    decided: Decided,
    /// Whether a tool asks for the call as the protocol has it.
    raw: bool,
    /// The tools that are listed beside those that search, where that is how the others are found.
    search: Option<Vec<String>>,
    page_size: NonZeroUsize,
    skills: skills::Source,
    /// Counts the changes of what is served, where it may change.
    changes: Option<watch::Sender<u64>>,
}

impl McpServer {
    /// Starts a server with the tools of an executor.
    pub fn builder(executor: ExecutorBuilder) -> McpServerBuilder {
        McpServerBuilder::new(executor)
    }

    pub(crate) fn new(builder: McpServerBuilder) -> Result<McpServer, ToolError> {
        let McpServerBuilder {
            executor,
            about,
            summary,
            groups,
            context,
            filter,
            policy,
            rows,
            approve,
            confirm,
            state_secret,
            live_filter,
            search,
            page_size,
            skills,
        } = builder;
        let executor = match &search {
            Some(_) => {
                let tools = with_search(executor.registry())?;
                executor.tools(tools)
            }
            None => executor,
        };
        let executor = for_clients(executor, policy.as_ref(), approve)?.build()?;
        let ctx = context.agent(AGENT).provide_with(|_| Arc::new(McpCall::none())).build();
        let serving = Serving {
            executor: &executor,
            ctx: &ctx,
            policy: policy.as_ref(),
            rows: &rows,
            confirm,
            approve,
            search: search.as_deref(),
            page_size,
            skills: (&about.name, &skills),
        };
        let sight = serving.sight(&filter)?;
        let raw = executor.registry().iter().any(McpCall::is_asked_for);
        let instructions = instructions(&summary, &groups, &executor.visible(&sight.snapshot));
        let sight = RwLock::new(Arc::new(sight));
        let changes = live_filter.then(|| watch::channel(0).0);
        let seal = state_secret.map(|secret| Seal::shared(secret.expose_bytes()));
        let seal = seal.transpose()?.unwrap_or_else(Seal::of_process);
        let inner = Inner {
            about,
            instructions,
            executor,
            ctx,
            policy,
            rows,
            sight,
            confirm,
            approve,
            seal,
            decided: Decided::default(),
            raw,
            search,
            page_size,
            skills,
            changes,
        };
        Ok(McpServer { inner: Arc::new(inner) })
    }

    /// The executor that runs the calls.
    pub fn executor(&self) -> &Executor {
        &self.inner.executor
    }

    /// Serves other tools from now on; clients that listen are told. Only for a server built with a
    /// [`live_filter`](McpServerBuilder::live_filter).
    ///
    /// # Errors
    /// Those of [`McpServerBuilder::build`]; `internal`, code `filter_fixed`, for another server.
    pub fn set_filter(&self, filter: &Filter) -> Result<(), ToolError> {
        let Inner { about, executor, ctx, policy, rows, confirm, approve, search, page_size, skills, .. } =
            &*self.inner;
        let Some(changes) = &self.inner.changes else {
            let error = ToolError::internal("What this server offers was fixed when it was built.");
            return Err(error.code("filter_fixed"));
        };
        let (policy, search) = (policy.as_ref(), search.as_deref());
        let (confirm, approve, page_size) = (*confirm, *approve, *page_size);
        let skills = (about.name.as_str(), skills);
        let serving = Serving { executor, ctx, policy, rows, confirm, approve, search, page_size, skills };
        let sight = Arc::new(serving.sight(filter)?);
        *self.inner.sight.write().unwrap_or_else(PoisonError::into_inner) = sight;
        changes.send_modify(|count| *count += 1);
        Ok(())
    }

    /// What clients see now.
    pub(crate) fn sight(&self) -> Arc<Sight> {
        Arc::clone(&self.inner.sight.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn info(&self) -> ServerConfig {
        let about = &self.inner.about;
        let mut info = Implementation::new(about.name.clone(), about.version.clone());
        info.title.clone_from(&about.title);
        let capabilities = ServerCapabilities::builder().enable_tools();
        let mut capabilities = match self.inner.changes {
            Some(_) => capabilities.enable_tool_list_changed().build(),
            None => capabilities.build(),
        };
        if !self.sight().skills.is_empty() {
            let with = ServerCapabilities::builder().enable_resources().enable_skills().build();
            (capabilities.resources, capabilities.extensions) = (with.resources, with.extensions);
        }
        let mut config = ServerConfig::new(capabilities)
            .with_server_info(info)
            .with_protocol_version(ProtocolVersion::V_2025_11_25);
        config.instructions.clone_from(&self.inner.instructions);
        config
    }
}

/// What decides which tools are served.
struct Serving<'a> {
    executor: &'a Executor,
    ctx: &'a ToolContext,
    policy: Option<&'a Arc<dyn Policy>>,
    rows: &'a [(String, RowSource)],
    confirm: Confirm,
    approve: ApprovalLevel,
    search: Option<&'a [String]>,
    page_size: NonZeroUsize,
    /// The name of the server and what its skills come from.
    skills: (&'a str, &'a skills::Source),
}

impl Serving<'_> {
    fn sight(&self, filter: &Filter) -> Result<Sight, ToolError> {
        let keep = |tool: &ToolEntry| {
            self.confirm != Confirm::Deny || !needs_approval(tool, self.approve, self.policy)
        };
        let searches = self.search.is_some();
        let registry = self.executor.registry();
        let snapshot = filter.snapshot(registry, self.ctx, self.policy, self.rows, searches, keep)?;
        let skills = |visible: &[&ToolEntry]| self.skills.1.skills(self.skills.0, registry, visible);
        Sight::new(self.executor, snapshot, self.search, self.page_size, skills)
    }
}

/// Whether calls of a tool are asked for.
fn needs_approval(tool: &ToolEntry, level: ApprovalLevel, policy: Option<&Arc<dyn Policy>>) -> bool {
    if makes_calls(tool.def()) {
        return false;
    }
    let own = policy.and_then(|policy| policy.approval(AGENT, tool));
    own.unwrap_or(ToolApproval::Level(level)).asks(tool)
}

impl std::fmt::Debug for McpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpServer")
            .field("about", &self.inner.about)
            .field("policy", &self.inner.policy.is_some())
            .finish_non_exhaustive()
    }
}
