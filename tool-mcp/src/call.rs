//! One `tools/call`: its arguments through the dialect, the call through the executor, the result through the dialect.

use serde_json::{Map, Value, json};
use tool_core::args::suggest;
use tool_core::dialect::limits::Limits;
use tool_core::dialect::{Dialect, mcp};
use tool_core::{Call, Caller, Executor, Gate, ToolContext, ToolEntry, ToolError, ToolResult, gate};

use crate::era::Era;
use crate::sight::Sight;

/// A call as it was asked for.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) era: Era,
    pub(crate) args: Option<Map<String, Value>>,
    pub(crate) call_id: Option<String>,
    pub(crate) idempotency_key: Option<String>,
}

/// Runs a call of a tool that exists.
pub(crate) async fn run(
    executor: &Executor,
    sight: &Sight,
    tool: &ToolEntry,
    asked: Asked,
    ctx: &ToolContext,
) -> ToolResult {
    let Asked { era, args, call_id, idempotency_key } = asked;
    let visible = gate(tool, &sight.snapshot) == Gate::Visible;
    // The arguments of a hidden tool are not looked at: the gate refuses whatever they are.
    let args = if visible { decoded(era, sight, tool, args)? } else { Value::Null };
    let call = Call { call_id, idempotency_key, ..Call::new(tool.name(), args) };
    executor.call(call, ctx, Caller::Mcp).await
}

fn decoded(
    era: Era,
    sight: &Sight,
    tool: &ToolEntry,
    args: Option<Map<String, Value>>,
) -> Result<Value, ToolError> {
    let args = args.map_or(Value::Null, Value::Object);
    let mut params = Map::with_capacity(2);
    params.insert("name".to_owned(), tool.name().into());
    params.insert("arguments".to_owned(), args);
    let reply = era.dialect().decode(&sight.listing(era).plan, &Value::Object(params), 0)?;
    reply.calls.into_iter().next().map_or_else(|| Ok(json!({})), |call| call.args)
}

/// The result as the era has it.
pub(crate) fn encoded(era: Era, tool: &str, result: &ToolResult) -> Value {
    mcp::result(era.dialect(), tool, result, &Limits::default())
}

/// The visible names nearest to one that no tool has.
pub(crate) fn nearest<'a>(executor: &'a Executor, sight: &'a Sight, name: &str) -> Vec<&'a str> {
    let visible = executor.visible(&sight.snapshot);
    suggest(name, visible.into_iter().flat_map(|tool| tool.spellings()))
}
