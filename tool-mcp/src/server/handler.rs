//! The server as rmcp asks it: which methods there are, and what each answers. (mcp.md §2)

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, ContentBlock, CustomRequest, CustomResult, DiscoverResult,
    ErrorCode, GetSkillRequestParams, GetSkillResult, InitializeRequestParams, InitializeResult,
    InitializeResultMethod, ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesRequestMethod,
    ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult, ListSkillsResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestMethod,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
    ServerConfig, SkillFrontmatter, SkillResource, SkillResources, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::McpServer;
use super::connection::{Connection, era};
use super::rounds::{Answer, IDEMPOTENCY_KEY, Request, TRACEPARENT};
use crate::era::Era;
use crate::listing::{LIST_TTL_MS, Page};
use crate::skills::Skill;
use crate::unfit::Unfit;

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
    /// Who calls.
    pub(crate) principal: Arc<str>,
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

/// A descriptor as rmcp's own type.
pub(crate) fn typed(descriptor: &Value) -> Result<Tool, ErrorData> {
    serde_json::from_value(descriptor.clone()).map_err(|error| {
        tracing::error!(%error, "a tool cannot be listed");
        ErrorData::internal_error("A tool cannot be listed.", None)
    })
}

/// The result of a call as rmcp's own type.
fn result_of(mut encoded: Value) -> Result<CallToolResult, ErrorData> {
    let content = encoded.get_mut("content").map(Value::take).unwrap_or_default();
    let content: Vec<ContentBlock> = serde_json::from_value(content).map_err(|error| {
        tracing::error!(%error, "a result cannot be sent");
        ErrorData::internal_error("The result cannot be sent.", None)
    })?;
    let mut result = CallToolResult::default();
    result.content = content;
    result.structured_content = encoded.get_mut("structuredContent").map(Value::take);
    result.is_error = encoded.get("isError").and_then(Value::as_bool);
    result.meta = match encoded.get_mut("_meta").map(Value::take) {
        Some(Value::Object(notes)) => Some(rmcp::model::MetaObject(notes)),
        _ => None,
    };
    Ok(result)
}

/// What comes with a request of a session: its token is cancelled when the session ends.
#[derive(Clone, Debug)]
pub(crate) struct SessionEnd(pub(crate) CancellationToken);

/// Runs a call that came as rmcp has it, and gives its answer so.
pub(crate) async fn answer(
    server: &McpServer,
    principal: &str,
    connection: Connection,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let connection = Arc::new(connection);
    // Dropped, it would let the effect happen twice.
    if context.meta.get(IDEMPOTENCY_KEY).is_some_and(|key| !key.is_string() && !key.is_null()) {
        return Err(ErrorData::invalid_params(format!("_meta[\"{IDEMPOTENCY_KEY}\"] must be a text."), None));
    }
    let meta = |key: &str| context.meta.get(key).and_then(Value::as_str).map(str::to_owned);
    let request = Request {
        tool: request.name.into_owned(),
        args: request.arguments,
        unfit: Unfit::found(&context.extensions).cloned(),
        idempotency_key: meta(IDEMPOTENCY_KEY),
        traceparent: meta(TRACEPARENT),
        responses: request.input_responses,
        state: request.request_state,
        progress: context.meta.get_progress_token(),
        cancel: context.ct.clone(),
    };
    let call = server.call(principal, &connection, request);
    let answer = match context.extensions.get::<SessionEnd>() {
        Some(SessionEnd(end)) => ended_with(end, &context.ct, call).await?,
        None => call.await?,
    };
    match answer {
        Answer::Complete(completed) => {
            let result = completed.encode(&connection, |result| json!(result));
            result_of(result).map(CallToolResponse::Complete)
        }
        Answer::Questions(questions) => Ok(CallToolResponse::InputRequired(questions)),
    }
}

/// The answer to a call that is cancelled with what it is part of.
pub(crate) async fn ended_with<T>(
    end: &CancellationToken,
    cancel: &CancellationToken,
    call: impl Future<Output = T>,
) -> T {
    let mut call = pin!(call);
    tokio::select! {
        biased;
        answer = &mut call => answer,
        () = end.cancelled() => {
            cancel.cancel();
            call.await
        }
    }
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
        self.list(
            era(context.protocol_version().as_ref()),
            request.and_then(|request| request.cursor).as_deref(),
        )
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let connection = Connection::of_request(&self.server, &context);
        answer(&self.server, &self.principal, connection, request, context).await
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
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let sight = self.server.sight();
        let skills = &sight.skills;
        if skills.is_empty() {
            return Err(ErrorData::method_not_found::<ListResourcesRequestMethod>());
        }
        only_page(request)?;
        let resource = |(uri, text): (&str, &str)| {
            let name = uri.splitn(4, '/').nth(3).unwrap_or(uri);
            Resource::new(uri, name).with_mime_type(MARKDOWN).with_size(text.len() as u64)
        };
        Ok(ListResourcesResult::with_all_items(skills.files().map(resource).collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let sight = self.server.sight();
        let skills = &sight.skills;
        if skills.is_empty() {
            return Err(ErrorData::method_not_found::<ReadResourceRequestMethod>());
        }
        let uri = request.uri;
        let Some(text) = skills.text(&uri) else {
            return Err(ErrorData::resource_not_found(
                "There is no such resource.",
                Some(json!({"uri": uri})),
            ));
        };
        let contents = ResourceContents::text(text, uri).with_mime_type(MARKDOWN);
        Ok(ReadResourceResponse::Complete(ReadResourceResult::new(vec![contents])))
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        only_page(request)?;
        Ok(ListSkillsResult::with_all_items(self.server.sight().skills.iter().map(skill).collect()))
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let sight = self.server.sight();
        let found = sight.skills.get(&request.uri);
        let found = found.ok_or_else(|| {
            ErrorData::invalid_params("There is no such skill.", Some(json!({"uri": request.uri})))
        })?;
        Ok(GetSkillResult::new(skill(found)))
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
        let gone = request.method == HANDSHAKE && era(context.protocol_version().as_ref()) == Era::Modern;
        // A known method comes here when its parameters do not fit.
        let served: &[_] = if self.server.sight().skills.is_empty() { &[] } else { &SKILL_PARAMS };
        let known = PARAMS.iter().chain(served).find(|row| row.0 == request.method && !gone);
        if let Some((_, wanted)) = known {
            return Err(ErrorData::invalid_params(format!("{} takes {wanted}.", request.method), None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, Cow::Owned(request.method), None))
    }
}

/// Refuses a cursor where everything is on one page.
fn only_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        Some(_) => Err(ErrorData::invalid_params("Invalid cursor.", None)),
        None => Ok(()),
    }
}

/// What skills are written in.
const MARKDOWN: &str = "text/markdown";

fn skill(skill: Skill<'_>) -> rmcp::model::Skill {
    let files = skill.files.iter().map(|(uri, text)| SkillResource::from_bytes(*uri, text.as_bytes()));
    let front = SkillFrontmatter::new(skill.name, skill.description);
    rmcp::model::Skill::new(skill.uri, front, SkillResources::Files(files.collect()))
}

/// The method that the modern era does not have.
const HANDSHAKE: &str = "initialize";

/// What the methods of a server take.
const PARAMS: [(&str, &str); 3] = [
    ("tools/call", "a name, and an object of arguments"),
    ("tools/list", "a cursor, or nothing"),
    (HANDSHAKE, "a protocol version, capabilities and the client's name and version"),
];

/// What those take that are there where skills are served.
const SKILL_PARAMS: [(&str, &str); 2] =
    [("resources/read", "the uri of a resource"), ("skills/get", "the uri of a skill")];
