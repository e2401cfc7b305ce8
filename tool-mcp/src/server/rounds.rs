//! A call as a client asks for it: its round, what it runs with, and its result or the questions that it ended with.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, InputRequiredResult, InputResponses, JsonObject, ProgressNotificationParam,
    ProgressToken,
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use tool_core::dialect::mcp::CallResult;
use tool_core::{Call, Caller, ToolContext, ToolEntry, ToolError, ToolResult};

use super::McpServer;
use super::connection::Connection;
use crate::ask::{self, Dialogue};
use crate::call::{self, Asked};
use crate::era::Era;
use crate::mcp_call::{CLIENT_CAPABILITY, McpCall, REQUIRED};
use crate::progress::{Report, reports};
use crate::quirks;
use crate::sight::Sight;
use crate::state::{self, State};
use crate::unfit::Unfit;

/// The member of a request's `_meta` that says which calls are one and the same.
pub(crate) const IDEMPOTENCY_KEY: &str = "toolbox/idempotencyKey";

/// The member of a request's `_meta` that names the trace it is part of. (W3C Trace Context)
pub(crate) const TRACEPARENT: &str = "traceparent";

/// A call as a client asks for it.
#[derive(Debug, Default)]
pub(crate) struct Request {
    pub(crate) tool: String,
    pub(crate) args: Option<JsonObject>,
    /// Their text, where that is why the call is refused.
    pub(crate) unfit: Option<Unfit>,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) traceparent: Option<String>,
    /// The answers that a call comes back with, and the state that it was sent away with.
    pub(crate) responses: Option<InputResponses>,
    pub(crate) state: Option<String>,
    /// What its progress is told under.
    pub(crate) progress: Option<ProgressToken>,
    /// What ends it.
    pub(crate) cancel: CancellationToken,
}

/// What a call is answered with.
#[derive(Debug)]
pub(crate) enum Answer {
    Complete(Completed),
    /// The questions that it ended with.
    Questions(InputRequiredResult),
}

/// A call that has ended, with its result.
#[derive(Debug)]
pub(crate) struct Completed {
    of: Called,
    result: ToolResult,
}

/// What was called.
#[derive(Debug)]
enum Called {
    Tool(ToolEntry),
    /// A name that no tool has.
    Nothing(String),
}

impl Completed {
    /// Gives the result as it is written, without what the protocol adds.
    pub(crate) fn encode<T>(&self, to: &Connection, write: impl FnOnce(Encoded<'_>) -> T) -> T {
        let (name, tool) = match &self.of {
            Called::Tool(tool) => (tool.name(), Some(tool)),
            Called::Nothing(name) => (name.as_str(), None),
        };
        let result = call::encoded(to.listed, name, tool, &self.result);
        match quirks::adapted(&to.client.info.0, self.result.is_err(), &result) {
            Some(adapted) => write(Encoded::Adapted(adapted)),
            None => write(Encoded::AsItIs(result)),
        }
    }
}

/// The result of a call, to be written.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Encoded<'r> {
    AsItIs(CallResult<'r>),
    /// For a client that needs it otherwise.
    Adapted(Value),
}

impl McpServer {
    /// Runs one call, with its progress on its way to the client.
    pub(crate) async fn call(
        &self,
        principal: &str,
        connection: &Arc<Connection>,
        mut request: Request,
    ) -> Result<Answer, ErrorData> {
        let (era, sight) = (connection.era, self.sight());
        let executor = &self.inner.executor;
        let Some(tool) = executor.registry().get(&request.tool) else {
            return self.unknown(connection, &sight, request).await;
        };
        let args = request.args.take();
        // Most calls are over with their first round, and need not be told from others.
        let kept = (era == Era::Modern).then(|| args.clone());
        let bound = || bound(principal, tool, kept.as_ref().and_then(Option::as_ref));
        let state = self.state(&mut request, bound, tool)?;
        let answered = (request.state.is_some() && !self.is_recorded(tool)).then(|| state.clone());
        let asked = Asked {
            era: connection.listed,
            args: request.unfit.as_ref().and_then(Unfit::error).map_or(Ok(args), Err),
            call_id: Some(state.call_id.clone()),
            idempotency_key: state.idempotency_key.clone(),
        };
        let dialogue = Dialogue::new(Arc::clone(connection), self.inner.confirm, state);
        let mut ctx = connection.ctx.to_builder();
        if self.inner.raw {
            let (client, dialogue) = (Arc::clone(&connection.client), dialogue.clone());
            let call = move |ctx: &ToolContext| {
                Arc::new(McpCall::new(era, Arc::clone(&client), dialogue.clone(), ctx.clone()))
            };
            ctx = ctx.provide_with(call);
        }
        if let Some(parent) = &request.traceparent {
            ctx = ctx.traceparent(parent);
        }
        let ctx = ctx.snapshot(Arc::clone(&sight.snapshot)).cancellation(request.cancel);
        let ctx = ctx.approver(dialogue.clone()).asker(dialogue.clone());
        let result = match request.progress {
            None => call::run(executor, &sight, tool, asked, &ctx.build()).await,
            Some(token) => {
                let (sink, reported) = reports();
                let ctx = ctx.progress(sink).build();
                let ended = CancellationToken::new();
                let send = |report: Report| {
                    let mut params = ProgressNotificationParam::new(token.clone(), report.done);
                    (params.total, params.message) = (report.total, report.message);
                    let peer = connection.peer.clone();
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
                // Most calls are asked for without progress, and need not be as large as this.
                Box::pin(async { tokio::join!(call, reported.pass_on(&ended, send)).0 }).await
            }
        };
        let answer = self.end(era, tool, result, &dialogue, bound);
        if let Some(call_id) = dialogue.refused() {
            self.inner.decided.refuse(&call_id);
        }
        if let (Some(state), Ok(Answer::Questions(_))) = (answered, &answer) {
            self.inner.decided.give_back(&state);
        }
        answer
    }

    /// Refuses a call of a tool that is not there. The executor refuses it, too: it is recorded as any other.
    async fn unknown(
        &self,
        connection: &Arc<Connection>,
        sight: &Sight,
        request: Request,
    ) -> Result<Answer, ErrorData> {
        let executor = &self.inner.executor;
        let ctx = connection.ctx.to_builder().snapshot(Arc::clone(&sight.snapshot));
        let ctx = ctx.cancellation(request.cancel).build();
        let call = Call::new(request.tool.clone(), request.args.map_or(Value::Null, Value::Object));
        match executor.call(call, &ctx, Caller::Mcp).await {
            Err(error) if error.code_str() == "unknown_tool" => {
                Err(unknown_tool(&request.tool, &call::nearest(executor, sight, &request.tool)))
            }
            result => Ok(Answer::Complete(Completed { of: Called::Nothing(request.tool), result })),
        }
    }

    /// Whether a second call with the same state finds what became of the first, or does no harm.
    fn is_recorded(&self, tool: &ToolEntry) -> bool {
        !tool.def().behavior.side_effect || self.inner.executor.layers().contains(&"journal")
    }

    /// The state that a call begins in: that of its last round with the answers, or a new one.
    fn state(
        &self,
        request: &mut Request,
        bound: impl FnOnce() -> [u8; 32],
        tool: &ToolEntry,
    ) -> Result<State, ErrorData> {
        let Some(sealed) = &request.state else {
            let mut state = State::first(request.idempotency_key.take());
            state.foresee(request.responses.iter().flatten());
            return Ok(state);
        };
        let decided = &self.inner.decided;
        let is_open =
            |state: &State| !decided.is_refused(state) && (self.is_recorded(tool) || decided.take(state));
        let Some(mut state) = self.inner.seal.open(sealed, &bound()).filter(is_open) else {
            return Err(ErrorData::invalid_params("requestState is not valid for this call.", None));
        };
        if let Some(answers) = &request.responses {
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
        bound: impl FnOnce() -> [u8; 32],
    ) -> Result<Answer, ErrorData> {
        let complete = |result| Ok(Answer::Complete(Completed { of: Called::Tool(tool.clone()), result }));
        let Err(error) = result else { return complete(result) };
        match (era, error.code_str()) {
            (Era::Modern, "input_required") => {}
            (Era::Modern, CLIENT_CAPABILITY) => {
                return Err(ErrorData::missing_required_client_capability(required(&error)));
            }
            _ => return complete(Err(error)),
        }
        let suspended = match dialogue.suspended() {
            Ok(Some((questions, state))) => self.inner.seal.seal(&state, &bound()).map_or_else(
                || Err(ToolError::internal("The call cannot be suspended.")),
                |sealed| ask::input_required(&questions, sealed),
            ),
            Ok(None) => Err(error),
            Err(error) => Err(error),
        };
        suspended.map_or_else(|error| complete(Err(error)), |result| Ok(Answer::Questions(result)))
    }
}

/// Who calls where no token says so.
pub(crate) const LOCAL: &str = "local";

/// What the state of a call is bound to.
fn bound(principal: &str, tool: &ToolEntry, args: Option<&JsonObject>) -> [u8; 32] {
    state::bound(principal, tool, &args.cloned().map_or(json!({}), Value::Object))
}

fn unknown_tool(name: &str, nearest: &[&str]) -> ErrorData {
    let shown: String = name.chars().take(80).collect();
    ErrorData::invalid_params(format!("Unknown tool: {shown}"), Some(json!({"nearest": nearest})))
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
