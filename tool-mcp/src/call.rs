//! One `tools/call`: its arguments through the dialect, the call through the executor, the result through the dialect.

use serde_json::{Map, Value};
use tool_core::args::suggest;
use tool_core::dialect::limits::Limits;
use tool_core::dialect::mcp::{self, CallResult};
use tool_core::{Call, Caller, Executor, ToolContext, ToolEntry, ToolError, ToolResult};

use crate::era::Era;
use crate::sight::Sight;

/// A call as it was asked for.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) era: Era,
    pub(crate) args: Result<Option<Map<String, Value>>, ToolError>,
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
    let plan = &sight.listing(era).plan;
    // The arguments of a hidden tool are not looked at: the gate refuses whatever they are.
    let args = match (plan.tool(tool.name()), args) {
        (None, _) => Value::Null,
        (Some(_), args) => mcp::args(plan, tool.name(), args?.map_or(Value::Null, Value::Object))?,
    };
    let call = Call { call_id, idempotency_key, ..Call::new(tool.name(), args) };
    executor.call(call, ctx, Caller::Mcp).await
}

/// The result as the era has it.
pub(crate) fn encoded<'r>(
    era: Era,
    name: &str,
    tool: Option<&ToolEntry>,
    result: &'r ToolResult,
) -> CallResult<'r> {
    // The later revision has values of every kind.
    let output = tool.filter(|_| era == Era::Legacy).and_then(|tool| tool.def().output_schema());
    CallResult::new(era.dialect(), name, output.map(AsRef::as_ref), result, &Limits::default())
}

/// The visible names nearest to one that no tool has.
pub(crate) fn nearest<'a>(executor: &'a Executor, sight: &'a Sight, name: &str) -> Vec<&'a str> {
    let visible = executor.visible(&sight.snapshot);
    suggest(name, visible.into_iter().flat_map(|tool| tool.spellings()))
}
