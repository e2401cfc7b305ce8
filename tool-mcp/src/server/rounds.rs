//! A call as rmcp hands it in: its round, what it runs with, and its result or the questions that it ended with.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, JsonObject,
    ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use tool_core::{ToolContext, ToolEntry, ToolError, ToolResult};

use super::McpServer;
use crate::ask::{self, Dialogue};
use crate::call::{self, Asked};
use crate::era::Era;
use crate::mcp_call::{CLIENT_CAPABILITY, Client, McpCall, REQUIRED};
use crate::progress::{Report, reports};
use crate::quirks;
use crate::state::{self, State};

/// The member of a request's `_meta` that says which calls are one and the same.
const IDEMPOTENCY_KEY: &str = "toolbox/idempotencyKey";

impl McpServer {
    /// Runs one call, with its progress on its way to the client.
    pub(super) async fn call(
        &self,
        principal: &str,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call_as_listed(era(&context), principal, request, context).await
    }

    /// [`call`](Self::call) of a tool that the client knows as this era lists it, whichever the client speaks.
    pub(crate) async fn call_as_listed(
        &self,
        listed: Era,
        principal: &str,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (era, sight) = (era(&context), self.sight());
        let executor = &self.inner.executor;
        let Some(tool) = executor.registry().get(&request.name) else {
            return Err(unknown_tool(&request.name, &call::nearest(executor, &sight, &request.name)));
        };
        let key = context.meta.get(IDEMPOTENCY_KEY).and_then(Value::as_str).map(str::to_owned);
        let bound = bound(era, principal, tool, request.arguments.as_ref());
        let state = self.state(&request, key, &bound)?;
        let asked = Asked {
            era: listed,
            args: request.arguments,
            call_id: Some(state.call_id.clone()),
            idempotency_key: state.idempotency_key.clone(),
        };
        let client = Arc::new(client(&context));
        let can_ask = client.capabilities.contains_key("elicitation");
        let dialogue = Dialogue::new(era, self.inner.confirm, can_ask, context.peer.clone(), state);
        let mut ctx = self.inner.ctx.to_builder().client(&client.title());
        if self.inner.raw {
            let (client, dialogue) = (Arc::clone(&client), dialogue.clone());
            let call = move |ctx: &ToolContext| {
                Arc::new(McpCall::new(era, Arc::clone(&client), dialogue.clone(), ctx.clone()))
            };
            ctx = ctx.provide_with(call);
        }
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
        let mut response = self.end((era, listed), tool, result, &dialogue, &bound)?;
        if let CallToolResponse::Complete(answer) = &mut response {
            quirks::adapt(&client.info.0, answer);
        }
        Ok(response)
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
        (era, listed): (Era, Era),
        tool: &ToolEntry,
        result: ToolResult,
        dialogue: &Dialogue,
        bound: &[u8; 32],
    ) -> Result<CallToolResponse, ErrorData> {
        let complete = |result| answer(listed, tool.name(), &result).map(CallToolResponse::Complete);
        let Err(error) = result else { return complete(result) };
        match (era, error.code_str()) {
            (Era::Modern, "input_required") => {}
            (Era::Modern, CLIENT_CAPABILITY) => {
                return Err(ErrorData::missing_required_client_capability(required(&error)));
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

/// Who calls where no token says so.
pub(crate) const LOCAL: &str = "local";

/// What the state of a call is bound to; the legacy era has none.
fn bound(era: Era, principal: &str, tool: &ToolEntry, args: Option<&JsonObject>) -> [u8; 32] {
    match era {
        Era::Legacy => [0; 32],
        Era::Modern => state::bound(principal, tool, &args.cloned().map_or(json!({}), Value::Object)),
    }
}

/// The era of a request.
pub(super) fn era(context: &RequestContext<RoleServer>) -> Era {
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

/// Who is behind a request.
fn client(context: &RequestContext<RoleServer>) -> Client {
    let info = context.client_info();
    let capabilities = serde_json::to_value(context.client_capabilities()).unwrap_or_default();
    Client {
        version: context.protocol_version().map(|version| version.to_string()).unwrap_or_default(),
        info: info.map(|info| (info.name, info.version)).unwrap_or_default(),
        capabilities: match capabilities {
            Value::Object(members) => members,
            _ => Map::new(),
        },
    }
}

/// The capabilities that an error names.
fn required(error: &ToolError) -> ClientCapabilities {
    let names = error.to_json().pointer(REQUIRED).cloned().unwrap_or_default();
    let members: Map<String, Value> = names
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|name| (name.to_owned(), json!({})))
        .collect();
    serde_json::from_value(Value::Object(members)).unwrap_or_default()
}
