//! What a caller sends may be large, up to a limit; what it is told of it stays small.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "it is a test throughout, its shared functions too"
)]

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tool_core::args::{MAX_ARGS_BYTES, MAX_ISSUES, MAX_NOTES, parse};
use tool_core::prelude::*;
use tool_core::registry::MAX_SCHEMA_BYTES;
use tool_core::{Call, Caller, DynTool, Executor, ExecutorBuilder, Registry, ToolResult};

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edit {
    /// What is looked for.
    find: String,
}

/// Counts what it is given.
#[tool(register = false)]
fn count(
    /// Numbers.
    numbers: Vec<u32>,
    /// Edits by their names.
    #[arg(default)]
    edits: HashMap<String, Edit>,
    /// Any text.
    text: Option<&str>,
) -> Value {
    json!([numbers.len(), edits.len(), text.map(str::len)])
}

fn executor(configure: fn(ExecutorBuilder) -> ExecutorBuilder) -> Executor {
    let registry = Registry::builder().add::<CountTool>().build().unwrap();
    configure(Executor::standard(registry)).build().unwrap()
}

fn call(executor: &Executor, args: Value) -> ToolResult {
    executor.call_blocking(Call::new("count", args), &ToolContext::empty(), Caller::Test)
}

#[test]
fn a_refusal_does_not_grow_with_the_keys_it_names() {
    let executor = executor(|builder| builder);
    let long = "k".repeat(1 << 20);
    let told = |error: ToolError| {
        assert_eq!(error.arg_issues().len(), MAX_ISSUES);
        error.to_json().to_string().len()
    };
    let twice: Vec<String> = (0..60).map(|i| format!("\"k{i}\":1,\"k{i}\":1")).collect();
    let text = format!("{{\"{long}\":{{{}}}}}", twice.join(","));
    assert!(told(parse(&text).unwrap_err()) < 16 << 10);
    let fields: Map<String, Value> = (0..60).map(|i| (format!("f{i}"), json!(i))).collect();
    let nested: Map<String, Value> = [(long, Value::Object(fields))].into_iter().collect();
    assert!(told(call(&executor, json!({ "edits": nested })).unwrap_err()) < 64 << 10);
    assert_eq!(call(&executor, json!({"edits": {"a": {"find": "b"}}})).unwrap().data(), json!([0, 1, null]));
}

#[test]
fn what_was_read_otherwise_than_it_came_is_told_fifty_times_and_counted() {
    let executor = executor(|builder| builder);
    let texts = |count: usize| (0..count).map(|i| json!(i.to_string())).collect::<Value>();
    for (more, told) in [(0, Value::Null), (7, json!(7))] {
        let output = call(&executor, json!({"numbers": texts(MAX_NOTES + more)})).unwrap();
        assert_eq!(output.data(), json!([MAX_NOTES + more, 0, null]));
        let coerced = output.meta["coerced"].as_array().unwrap();
        assert_eq!(coerced.len(), MAX_NOTES);
        assert_eq!(coerced[49]["path"], "/numbers/49");
        assert_eq!(output.meta.get("coerced_more").cloned().unwrap_or_default(), told);
    }
}

/// Arguments of so many bytes, as text and as compact JSON.
fn args_of(bytes: usize) -> Value {
    let without = json!({"text": ""}).to_string().len();
    json!({"text": "x".repeat(bytes - without)})
}

#[test]
fn the_limit_of_arguments_holds_for_values_and_texts_and_can_be_set() {
    let rows: [(Executor, usize); 2] =
        [(executor(|builder| builder), MAX_ARGS_BYTES), (executor(|builder| builder.max_args_bytes(40)), 40)];
    for (executor, most) in &rows {
        for (bytes, fits) in [(*most, true), (most + 1, false)] {
            let args = args_of(bytes);
            let text = args.to_string();
            assert_eq!(text.len(), bytes);
            let by_text = executor.call_text_blocking("count", &text, &ToolContext::empty(), Caller::Test);
            let inside = call(executor, Value::String(text));
            for result in [call(executor, args), by_text, inside] {
                assert_eq!(result.is_ok(), fits, "{bytes} of {most}: {:?}", result.err());
                let Err(error) = result else { continue };
                assert_eq!(error.code_str(), "args_too_large");
                assert!(error.to_json().to_string().contains(&most.to_string()), "{error:?}");
            }
        }
    }
    let more = executor(|builder| builder.max_args_bytes(MAX_ARGS_BYTES + 1));
    assert!(call(&more, args_of(MAX_ARGS_BYTES + 1)).is_ok());
}

/// Measures a text.
#[tool(register = false)]
fn measure(
    /// Which.
    text: &str,
) -> usize {
    text.len()
}

#[test]
fn the_limit_of_arguments_holds_for_texts_that_would_be_taken_the_short_way() {
    let registry = Registry::builder().add::<MeasureTool>().build().unwrap();
    let executor = Executor::standard(registry).max_args_bytes(40).build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ctx = ToolContext::empty();
    for (bytes, fits) in [(40, true), (41, false)] {
        let text = args_of(bytes).to_string();
        let by_text = executor.call_text_blocking("measure", &text, &ctx, Caller::Test);
        let in_runtime = runtime.block_on(executor.call_text("measure", &text, &ctx, Caller::Test));
        for result in [by_text, in_runtime] {
            let told = result.map_err(|error| error.code_str().to_owned()).map(|output| output.data());
            assert_eq!(told, if fits { Ok(json!(29)) } else { Err("args_too_large".to_owned()) });
        }
    }
}

#[test]
fn the_limit_of_a_given_schema_can_be_set() {
    let schema = |bytes: usize| {
        let of = |text: String| json!({"type": "object", "description": text});
        let without = of(String::new()).to_string().len();
        of("x".repeat(bytes - without))
    };
    let made = |bytes: usize, most: Option<usize>| {
        let tool = DynTool::builder("big").description("Is big.").input_schema(schema(bytes));
        match most {
            Some(most) => tool.max_schema_bytes(most),
            None => tool,
        }
        .build()
        .map(drop)
    };
    for (most, set) in [(MAX_SCHEMA_BYTES, None), (100, Some(100)), (300_000, Some(300_000))] {
        assert!(made(most, set).is_ok(), "{most}");
        let error = made(most + 1, set).unwrap_err().to_string();
        assert!(error.contains(&format!("larger than {most} bytes")), "{error}");
    }
}
