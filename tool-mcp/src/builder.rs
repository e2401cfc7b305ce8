//! Configuring a server.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use tool_core::dialect::limits::{self, Limits};
use tool_core::{
    ApprovalLevel, Caller, CheckMode, ContextBuilder, ExecutorBuilder, Policy, Registry, RowSource, Secret,
    Snapshot, Snapshots, ToolContext, ToolError,
};

use crate::ask::Confirm;
use crate::filter::{AGENT, Filter};
use crate::server::{About, McpServer};
use crate::skills;

/// Configures a server; [`build`](Self::build) makes it.
#[must_use]
pub struct McpServerBuilder {
    pub(crate) executor: ExecutorBuilder,
    pub(crate) about: About,
    pub(crate) summary: String,
    pub(crate) groups: BTreeMap<String, String>,
    pub(crate) context: ContextBuilder,
    pub(crate) filter: Filter,
    pub(crate) policy: Option<Arc<dyn Policy>>,
    pub(crate) rows: Vec<(String, RowSource)>,
    pub(crate) approve: ApprovalLevel,
    pub(crate) confirm: Confirm,
    pub(crate) state_secret: Option<Arc<Secret>>,
    pub(crate) live_filter: bool,
    pub(crate) search: Option<Vec<String>>,
    pub(crate) page_size: NonZeroUsize,
    pub(crate) skills: skills::Source,
}

impl McpServerBuilder {
    pub(crate) fn new(executor: ExecutorBuilder) -> McpServerBuilder {
        let about = About { name: "tool".to_owned(), title: None, version: String::new() };
        McpServerBuilder {
            executor,
            about,
            summary: String::new(),
            groups: BTreeMap::new(),
            context: ToolContext::builder(),
            filter: Filter::default(),
            policy: None,
            rows: Vec::new(),
            approve: ApprovalLevel::default(),
            confirm: Confirm::default(),
            state_secret: None,
            live_filter: false,
            search: None,
            page_size: NonZeroUsize::new(Limits::default().get(limits::MCP_PAGE))
                .unwrap_or(NonZeroUsize::MIN),
            skills: skills::Source::default(),
        }
    }

    /// The name that clients see.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.about.name = name.into();
        self
    }

    /// The name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.about.title = Some(title.into());
        self
    }

    /// The version of the program.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.about.version = version.into();
        self
    }

    /// The first line of the instructions.
    pub fn summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = summary.into();
        self
    }

    /// What a group of tools is for: a line of the instructions.
    pub fn group(mut self, name: impl Into<String>, about: impl Into<String>) -> Self {
        self.groups.insert(name.into(), about.into());
        self
    }

    /// What the tools find in their context. Cancellation, progress and the agent `mcp` are added for each call.
    pub fn context(mut self, context: ContextBuilder) -> Self {
        self.context = context;
        self
    }

    /// Which tools are served; all by default.
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Adds rows that are stored for the agent `mcp`: what it sees, or with `!` does not see, besides.
    pub fn rows(mut self, rows: impl IntoIterator<Item = (String, RowSource)>) -> Self {
        self.rows.extend(rows);
        self
    }

    /// Holds calls to a policy; its rows for the agent `mcp` say what is served.
    pub fn policy(mut self, policy: Arc<dyn Policy>) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Which calls need approval; those of destructive tools by default.
    pub fn approve(mut self, level: ApprovalLevel) -> Self {
        self.approve = level;
        self
    }

    /// What is done where a call needs approval; the client's person is asked by default.
    pub fn confirm(mut self, confirm: Confirm) -> Self {
        self.confirm = confirm;
        self
    }

    /// What seals the state of suspended calls where several processes serve; at least 32 bytes. Without it the seal is the
    /// process's own.
    pub fn state_secret(mut self, secret: Arc<Secret>) -> Self {
        self.state_secret = Some(secret);
        self
    }

    /// Lets [`McpServer::set_filter`] change what is served while clients are connected; they are told of it.
    pub fn live_filter(mut self) -> Self {
        self.live_filter = true;
        self
    }

    /// Lists four tools that find, describe and call the others, and besides them only these.
    pub fn search(mut self, pinned: impl IntoIterator<Item = String>) -> Self {
        self.search = Some(pinned.into_iter().collect());
        self
    }

    /// How many tools one answer to `tools/list` holds; 100 by default. Each further page is a round trip, so a server whose
    /// clients all take long answers lists faster with pages that are as long as its list.
    pub fn page_size(mut self, tools: NonZeroUsize) -> Self {
        self.page_size = tools;
        self
    }

    /// Serves skills as resources: files by path, such as `NAME/SKILL.md` and `NAME/reference/TOOL.md`.
    pub fn skills(mut self, files: impl IntoIterator<Item = (String, String)>) -> Self {
        self.skills.files.extend(files);
        self
    }

    /// Serves skills that are written for the tools which clients see: files as those of [`skills`](Self::skills). What is not
    /// served is not described.
    pub fn skills_of<F>(mut self, write: F) -> Self
    where
        F: Fn(&Registry) -> Vec<(String, String)> + Send + Sync + 'static,
    {
        self.skills.write = Some(Box::new(write));
        self
    }

    /// The server.
    ///
    /// # Errors
    /// Those of the executor; `invalid_args`, code `no_match`, for a pattern or a pinned name that matches no tool; `not_configured`, code
    /// `no_tools`, where nothing is left to serve.
    pub fn build(self) -> Result<McpServer, ToolError> {
        McpServer::new(self)
    }
}

impl std::fmt::Debug for McpServerBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpServerBuilder").field("about", &self.about).finish_non_exhaustive()
    }
}

/// The executor of a server: clients see what their snapshot enables and nothing without one, and results fit their schemas.
pub(crate) fn for_clients(
    builder: ExecutorBuilder,
    policy: Option<&Arc<dyn Policy>>,
    level: ApprovalLevel,
) -> Result<ExecutorBuilder, ToolError> {
    let closed = Closed(Arc::new(Snapshot::builder(AGENT).build(builder.registry())?));
    let builder = builder.gate(closed).approve(level).check(CheckMode::Error);
    Ok(match policy {
        Some(policy) => builder.policy(Arc::clone(policy)),
        None => builder,
    })
}

/// The snapshot of a call that came without one: it enables nothing.
struct Closed(Arc<Snapshot>);

impl Snapshots for Closed {
    fn snapshot(
        &self,
        _: &ToolContext,
        _: Caller,
        _: Option<&dyn Policy>,
    ) -> Result<Arc<Snapshot>, ToolError> {
        Ok(Arc::clone(&self.0))
    }
}
