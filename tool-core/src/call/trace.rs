//! The trace step: one span per call, named as OpenTelemetry's conventions for generative AI name it. (calls.md §14)

use tracing::Span;
use tracing::field::Empty;

use super::Caller;
use super::audit::{AuditRow, is_replayed};
use super::facts::Known;
use super::who::Who;
use crate::context::ToolContext;
use crate::output::ToolResult;

/// What an unknown tool is called in spans and metrics: names that callers make up are none.
pub(super) const UNKNOWN: &str = "_unknown";

/// The span of a call.
pub(super) fn span(tool: Option<&str>, call_id: &str, ctx: &ToolContext, caller: Caller) -> Span {
    let (tool, who) = (tool.unwrap_or(UNKNOWN), Who::of(ctx));
    tracing::info_span!(
        target: "toolbox::call",
        "execute_tool",
        otel.name = format!("execute_tool {tool}"),
        otel.kind = "internal",
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = tool,
        gen_ai.tool.type = "function",
        gen_ai.tool.call.id = call_id,
        gen_ai.agent.name = who.agent,
        error.type = Empty,
        toolbox.caller = caller.as_str(),
        toolbox.run.id = (!who.run.is_empty()).then_some(who.run),
        toolbox.attempt = ctx.attempt(),
        toolbox.replayed = Empty,
        toolbox.tries = Empty,
        gen_ai.tool.call.arguments = Empty,
        gen_ai.tool.call.result = Empty,
    )
}

/// What went in and came out, as an audit row has it.
pub(super) fn content(span: &Span, row: &AuditRow) {
    span.record("gen_ai.tool.call.arguments", row.args.to_string());
    if let Some(preview) = row.output.as_ref().and_then(|output| output.preview.as_deref()) {
        span.record("gen_ai.tool.call.result", preview);
    }
}

/// What is known when the call has ended.
pub(super) fn end(span: &Span, known: &Known, result: Option<&ToolResult>) {
    span.record("toolbox.tries", known.tries.max(1));
    span.record("toolbox.replayed", is_replayed(result));
    match result {
        Some(Ok(_)) => {}
        Some(Err(error)) => {
            span.record("error.type", error.code_str());
        }
        None => {
            span.record("error.type", "cancelled");
        }
    }
}
