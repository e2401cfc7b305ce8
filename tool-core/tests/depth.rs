//! Values that are nested deeper than a stack can follow, where they come in and where they go out.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at what it cannot build")]

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};
use tool_core::args::MAX_DEPTH;
use tool_core::prelude::*;
use tool_core::{
    Behavior, Call, Caller, Content, DynTool, Effect, ErrorKind, Executor, MAX_OUTPUT_DEPTH, Registry,
};

/// Far beyond what a thread's stack can follow.
const DEEP: usize = 200_000;

/// Arrays in each other, built without recursion.
fn nested(levels: usize) -> Value {
    (0..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
}

#[derive(Serialize)]
struct Around {
    inner: Value,
}

/// Returns a value.
#[tool]
fn value(
    /// Levels.
    levels: usize,
) -> Value {
    nested(levels)
}

/// Returns a value or not.
#[tool]
async fn maybe(
    /// Levels.
    levels: usize,
) -> Result<Value, ToolError> {
    Ok(nested(levels))
}

/// Returns a type with a value in it.
#[tool]
fn typed(
    /// Levels.
    levels: usize,
) -> Around {
    Around { inner: nested(levels) }
}

/// Returns a block.
#[tool]
fn block(
    /// Levels.
    levels: usize,
) -> Content {
    Content::Json { value: nested(levels) }
}

/// Fails.
#[tool]
fn fails(
    /// Levels.
    levels: usize,
) -> Result<String, ToolError> {
    Err(ToolError::failed("No.").detail("value", nested(levels)))
}

/// Changes something.
#[tool(side_effect, idempotent = false)]
fn changes(
    /// Levels.
    levels: usize,
) -> Value {
    nested(levels)
}

/// Takes a value.
#[tool]
fn takes(
    /// A value.
    #[arg(any)]
    value: Value,
) -> String {
    value.to_string()
}

fn executor() -> Executor {
    let registry = Registry::builder()
        .add::<ValueTool>()
        .add::<MaybeTool>()
        .add::<TypedTool>()
        .add::<BlockTool>()
        .add::<FailsTool>()
        .add::<ChangesTool>()
        .add::<TakesTool>();
    Executor::standard(registry.build().unwrap()).build().unwrap()
}

fn call(tool: &str, args: Value) -> tool_core::ToolResult {
    executor().call_blocking(Call::new(tool, args), &ToolContext::empty(), Caller::Test)
}

#[test]
fn what_a_tool_returns_too_deep_is_its_fault_wherever_it_stands() {
    for tool in ["value", "maybe", "typed", "block", "fails", "changes"] {
        for levels in [MAX_OUTPUT_DEPTH + 1, 10_000, DEEP] {
            // The author's own type is dropped by its own recursion, up to where writing it ends.
            let error = call(tool, json!({"levels": levels})).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Internal, "{tool} {levels}: {error}");
            assert_eq!(error.code_str(), "output_too_deep", "{tool} {levels}");
            let done = (tool == "changes").then_some(Effect::Done);
            assert_eq!(error.effect_value(), done, "{tool} {levels}");
        }
    }
}

#[test]
fn what_a_tool_returns_less_deep_passes() {
    for (tool, levels) in
        [("value", MAX_OUTPUT_DEPTH), ("maybe", MAX_OUTPUT_DEPTH), ("typed", MAX_OUTPUT_DEPTH - 1)]
    {
        let data = call(tool, json!({"levels": levels})).unwrap().data();
        assert_eq!(data.to_string().matches('[').count(), levels, "{tool}");
        // Whoever reads it again can.
        let text = json!({"ok": true, "result": {"structured": data}}).to_string();
        serde_json::from_str::<Value>(&text).unwrap();
    }
    let error = call("fails", json!({"levels": MAX_OUTPUT_DEPTH})).unwrap_err();
    assert_eq!(error.message(), "No.");
}

#[test]
fn the_stack_of_a_pool_is_enough() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let executor = Arc::new(executor());
    for tool in ["value", "maybe", "typed"] {
        let executor = Arc::clone(&executor);
        let task = runtime.spawn(async move {
            let call = Call::new(tool, json!({"levels": DEEP}));
            executor.call(call, &ToolContext::empty(), Caller::Test).await
        });
        assert_eq!(runtime.block_on(task).unwrap().unwrap_err().code_str(), "output_too_deep", "{tool}");
    }
}

#[test]
fn arguments_too_deep_are_refused_in_every_form() {
    let error = |args| call("takes", args).unwrap_err();
    for levels in [MAX_DEPTH, 10_000, DEEP] {
        let mut args = json!({"value": null});
        args["value"] = nested(levels);
        assert_eq!(error(args).code_str(), "too_deep", "{levels}");
        let text = format!(r#"{{"value":{}{}}}"#, "[".repeat(levels), "]".repeat(levels));
        let error =
            executor().call_text_blocking("takes", &text, &ToolContext::empty(), Caller::Test).unwrap_err();
        assert_eq!(error.code_str(), "too_deep", "{levels}");
    }
    assert_eq!(error(nested(DEEP)).kind(), ErrorKind::InvalidArgs);
    let mut args = json!({"value": null});
    args["value"] = nested(MAX_DEPTH - 1);
    call("takes", args).unwrap();
}

#[test]
fn a_schema_too_deep_is_refused() {
    let deep = (0..DEEP)
        .fold(json!({}), |inner, _| Value::Object(std::iter::once(("items".to_owned(), inner)).collect()));
    let built = DynTool::builder("deep")
        .description("Has a deep schema.")
        .input_schema(deep)
        .behavior(Behavior::READ)
        .handler_sync(|_: Value, _: ToolContext| Ok(ToolOutput::text("")))
        .build();
    assert!(built.unwrap_err().to_string().contains("nested deeper"));
}
