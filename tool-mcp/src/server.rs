//! The server: rmcp's handler over an executor. What the methods do is told in tables; the work is in the neighbours.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    CompleteRequestMethod, CompleteRequestParams, CompleteResult, ContentBlock, CustomRequest, CustomResult,
    DiscoverResult, ErrorCode, Implementation, InitializeRequestParams, InitializeResult,
    InitializeResultMethod, JsonObject, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion,
    ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tool_core::{
    ApprovalLevel, Executor, ExecutorBuilder, Policy, RowSource, ToolApproval, ToolContext, ToolEntry,
    ToolError, ToolResult,
};

use crate::ask::{self, CLIENT_CAPABILITY, Confirm, Dialogue};
use crate::builder::{McpServerBuilder, for_clients};
use crate::call::{self, Asked};
use crate::era::Era;
use crate::filter::{AGENT, Filter};
use crate::instructions::instructions;
use crate::listing::Page;
use crate::progress::{Report, reports};
use crate::sight::Sight;
use crate::state::{self, Seal, State};

/// How long a list may be kept.
pub(crate) const LIST_TTL_MS: u64 = 300_000;

/// The member of a request's `_meta` that says which calls are one and the same.
const IDEMPOTENCY_KEY: &str = "toolbox/idempotencyKey";

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
        } = builder;
        let executor = for_clients(executor, policy.as_ref(), approve)?.build()?;
        let ctx = context.agent(AGENT).build();
        let keep =
            |tool: &ToolEntry| confirm != Confirm::Deny || !needs_approval(tool, approve, policy.as_ref());
        let snapshot = filter.snapshot(executor.registry(), &ctx, policy.as_ref(), &rows, keep)?;
        let sight = Sight::new(&executor, snapshot)?;
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
        let Inner { executor, ctx, policy, rows, confirm, approve, .. } = &*self.inner;
        let Some(changes) = &self.inner.changes else {
            let error = ToolError::internal("What this server offers was fixed when it was built.");
            return Err(error.code("filter_fixed"));
        };
        let policy = policy.as_ref();
        let serving = Serving { executor, ctx, policy, rows, confirm: *confirm, approve: *approve };
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
        let capabilities = match self.inner.changes {
            Some(_) => capabilities.enable_tool_list_changed().build(),
            None => capabilities.build(),
        };
        let mut config = ServerConfig::new(capabilities)
            .with_server_info(info)
            .with_protocol_version(ProtocolVersion::V_2025_11_25);
        config.instructions.clone_from(&self.inner.instructions);
        config
    }

    /// Runs one call, with its progress on its way to the client.
    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (era, sight) = (era(&context), self.sight());
        let executor = &self.inner.executor;
        let Some(tool) = executor.registry().get(&request.name) else {
            return Err(unknown_tool(&request.name, &call::nearest(executor, &sight, &request.name)));
        };
        let key = context.meta.get(IDEMPOTENCY_KEY).and_then(Value::as_str).map(str::to_owned);
        let bound = self.bound(era, tool, request.arguments.as_ref());
        let state = self.state(&request, key, &bound)?;
        let asked = Asked {
            era,
            args: request.arguments,
            call_id: Some(state.call_id.clone()),
            idempotency_key: state.idempotency_key.clone(),
        };
        let can_ask = context.client_capabilities().is_some_and(|client| client.elicitation.is_some());
        let dialogue = Dialogue::new(era, self.inner.confirm, can_ask, context.peer.clone(), state);
        let ctx = self.inner.ctx.to_builder();
        let ctx = ctx.snapshot(Arc::clone(&sight.snapshot)).cancellation(context.ct.clone());
        let ctx = ctx.approver(dialogue.clone()).asker(dialogue.clone());
        let result = match context.meta.get_progress_token() {
            None => call::run(executor, &sight, tool, asked, &ctx.build()).await,
            Some(token) => {
                let (sink, reported) = reports();
                let ctx = ctx.progress(sink).build();
                let ended = CancellationToken::new();
                let send = |report: Report| {
                    let mut params = ProgressNotificationParam::new(token.clone(), report.done);
                    (params.total, params.message) = (report.total, report.message);
                    let peer = context.peer.clone();
                    async move {
                        // A client that is gone does not hear; its call is cancelled elsewhere.
                        let _ = peer.notify_progress(params).await;
                    }
                };
                let call = async {
                    let result = call::run(executor, &sight, tool, asked, &ctx).await;
                    ended.cancel();
                    result
                };
                tokio::join!(call, reported.pass_on(&ended, send)).0
            }
        };
        self.end(era, tool, result, &dialogue, &bound)
    }

    /// What the state of a call is bound to; the legacy era has none.
    fn bound(&self, era: Era, tool: &ToolEntry, args: Option<&JsonObject>) -> [u8; 32] {
        match era {
            Era::Legacy => [0; 32],
            Era::Modern => state::bound(PRINCIPAL, tool, &args.cloned().map_or(json!({}), Value::Object)),
        }
    }

    /// The state that a call begins in: that of its last round with the answers, or a new one.
    fn state(
        &self,
        request: &CallToolRequestParams,
        idempotency_key: Option<String>,
        bound: &[u8; 32],
    ) -> Result<State, ErrorData> {
        let Some(sealed) = &request.request_state else {
            let mut state = State::first(idempotency_key);
            state.foresee(request.input_responses.iter().flatten());
            return Ok(state);
        };
        let Some(mut state) = self.inner.seal.open(sealed, bound) else {
            return Err(ErrorData::invalid_params("requestState is not valid for this call.", None));
        };
        if let Some(answers) = &request.input_responses {
            state.take(answers);
        }
        Ok(state)
    }

    /// The answer to a call that has ended: its result, or the questions that it ended with.
    fn end(
        &self,
        era: Era,
        tool: &ToolEntry,
        result: ToolResult,
        dialogue: &Dialogue,
        bound: &[u8; 32],
    ) -> Result<CallToolResponse, ErrorData> {
        let complete = |result| answer(era, tool.name(), &result).map(CallToolResponse::Complete);
        let Err(error) = result else { return complete(result) };
        match (era, error.code_str()) {
            (Era::Modern, "input_required") => {}
            (Era::Modern, CLIENT_CAPABILITY) => {
                let wanted = ClientCapabilities::builder().enable_elicitation().build();
                return Err(ErrorData::missing_required_client_capability(wanted));
            }
            _ => return complete(Err(error)),
        }
        let suspended = match dialogue.suspended() {
            Ok(Some((questions, state))) => self.inner.seal.seal(&state, bound).map_or_else(
                || Err(ToolError::internal("The call cannot be suspended.")),
                |sealed| ask::input_required(&questions, sealed),
            ),
            Ok(None) => Err(error),
            Err(error) => Err(error),
        };
        suspended
            .map_or_else(|error| complete(Err(error)), |result| Ok(CallToolResponse::InputRequired(result)))
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
}

impl Serving<'_> {
    fn sight(&self, filter: &Filter) -> Result<Sight, ToolError> {
        let keep = |tool: &ToolEntry| {
            self.confirm != Confirm::Deny || !needs_approval(tool, self.approve, self.policy)
        };
        let snapshot = filter.snapshot(self.executor.registry(), self.ctx, self.policy, self.rows, keep)?;
        Sight::new(self.executor, snapshot)
    }
}

/// Who calls where no token says so.
const PRINCIPAL: &str = "local";

/// Whether calls of a tool are asked for.
fn needs_approval(tool: &ToolEntry, level: ApprovalLevel, policy: Option<&Arc<dyn Policy>>) -> bool {
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

/// The era of a request.
fn era(context: &RequestContext<RoleServer>) -> Era {
    let version = context.protocol_version();
    match version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
        true => Era::Modern,
        false => Era::Legacy,
    }
}

fn unknown_tool(name: &str, nearest: &[&str]) -> ErrorData {
    let shown: String = name.chars().take(80).collect();
    ErrorData::invalid_params(format!("Unknown tool: {shown}"), Some(json!({"nearest": nearest})))
}

/// The result as rmcp's own type.
fn answer(era: Era, tool: &str, result: &ToolResult) -> Result<CallToolResult, ErrorData> {
    let mut encoded = call::encoded(era, tool, result);
    let content = encoded.get_mut("content").map(Value::take).unwrap_or_default();
    let content: Vec<ContentBlock> = serde_json::from_value(content).map_err(|error| {
        tracing::error!(%error, tool, "the result cannot be sent");
        ErrorData::internal_error("The result cannot be sent.", None)
    })?;
    let mut answer = CallToolResult::default();
    answer.content = content;
    answer.structured_content = encoded.get_mut("structuredContent").map(Value::take);
    answer.is_error = result.is_err().then_some(true);
    Ok(answer)
}

/// How a handler gives a page of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pages {
    /// With the tools in it.
    Whole,
    /// As a note of which tools are meant: the transport has them in writing.
    Noted,
}

/// The server as one transport asks it.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    pub(crate) server: McpServer,
    pub(crate) pages: Pages,
}

impl Handler {
    fn list(&self, era: Era, cursor: Option<&str>) -> Result<ListToolsResult, ErrorData> {
        let sight = self.server.sight();
        let listing = sight.listing(era);
        let page = listing.page(cursor).ok_or_else(|| ErrorData::invalid_params("Invalid cursor.", None))?;
        let mut result = ListToolsResult::default();
        match self.pages {
            Pages::Whole => {
                let tools = listing.of(&page).iter().map(|tool| typed(&tool.descriptor));
                result.tools = tools.collect::<Result<_, _>>()?;
            }
            Pages::Noted => {
                let note = Note { era, page: page.clone() };
                result.meta = Some(note.written());
            }
        }
        result.next_cursor = page.next;
        if era == Era::Modern {
            result = result.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public);
        }
        Ok(result)
    }
}

/// A page that the transport fills in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) era: Era,
    pub(crate) page: Page,
}

/// The member of `_meta` that holds a note. It never leaves the process.
const NOTE: &str = "toolbox/page";

impl Note {
    fn written(&self) -> rmcp::model::MetaObject {
        let mut meta = rmcp::model::MetaObject::new();
        let range = &self.page.tools;
        meta.insert(NOTE.to_owned(), json!([self.era == Era::Modern, range.start, range.end]));
        meta
    }

    /// Reads a note from a result of `tools/list`.
    pub(crate) fn read(result: &ListToolsResult) -> Option<Note> {
        let note = result.meta.as_ref()?.get(NOTE)?;
        let number = |at: usize| usize::try_from(note.get(at)?.as_u64()?).ok();
        let era = if note.get(0)?.as_bool()? { Era::Modern } else { Era::Legacy };
        let page = Page { tools: number(1)?..number(2)?, next: result.next_cursor.clone() };
        Some(Note { era, page })
    }
}

fn typed(descriptor: &Value) -> Result<Tool, ErrorData> {
    serde_json::from_value(descriptor.clone()).map_err(|error| {
        tracing::error!(%error, "a tool cannot be listed");
        ErrorData::internal_error("A tool cannot be listed.", None)
    })
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.server.info()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        // The handshake is gone from 2026-07-28; a request that says it speaks that has none.
        if context.meta.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
            return Err(ErrorData::method_not_found::<InitializeResultMethod>());
        }
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut result = DiscoverResult::from_server_info(versions, self.get_info());
        (result.ttl_ms, result.cache_scope) = (LIST_TTL_MS, CacheScope::Public);
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let Some(changes) = &self.server.inner.changes else { return };
        let mut changed = changes.subscribe();
        // A client that is gone is noticed with the next change.
        while changed.changed().await.is_ok() && context.peer.notify_tool_list_changed().await.is_ok() {}
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.server.inner.changes.as_ref()?;
        let mut accepted = SubscriptionFilter::default();
        accepted.tools_list_changed = Some(true);
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let Some(changes) = &self.server.inner.changes else { return Ok(()) };
        let mut changed = changes.subscribe();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changed.changed() => {
                    let wanted = context.accepted().tools_list_changed == Some(true);
                    if change.is_err() || (wanted && context.sink().notify_tool_list_changed().await.is_err()) {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.list(era(&context), request.and_then(|request| request.cursor).as_deref())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.server.call(request, context).await
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let sight = self.server.sight();
        let tools = sight.listing(Era::Modern).tools();
        let at = tools.binary_search_by(|tool| tool.name.as_str().cmp(name)).ok()?;
        typed(&tools.get(at)?.descriptor).ok()
    }

    // rmcp answers these with empty results, although the capability is not declared.

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let gone = request.method == HANDSHAKE && era(&context) == Era::Modern;
        // A known method comes here when its parameters do not fit.
        let known = PARAMS.iter().find(|row| row.0 == request.method && !gone);
        if let Some((_, wanted)) = known {
            return Err(ErrorData::invalid_params(format!("{} takes {wanted}.", request.method), None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, Cow::Owned(request.method), None))
    }
}

/// The method that the modern era does not have.
const HANDSHAKE: &str = "initialize";

/// What the methods of a server take.
const PARAMS: [(&str, &str); 3] = [
    ("tools/call", "a name, and an object of arguments"),
    ("tools/list", "a cursor, or nothing"),
    (HANDSHAKE, "a protocol version, capabilities and the client's name and version"),
];
