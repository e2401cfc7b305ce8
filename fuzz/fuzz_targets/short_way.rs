//! Arbitrary text as the arguments of a call: the short way from text to values gives what the whole way gives.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::args::{MAX_ARGS_BYTES, parse_arguments};
use tool_core::prelude::*;
use tool_core::{Call, Caller, Executor, Registry, ToolResult};

/// Gives back what it was given.
#[tool(group = "fuzz")]
#[allow(clippy::too_many_arguments, reason = "as many as the short way takes")]
fn echo(
    /// A flag.
    flag: bool,
    /// A bounded number.
    #[arg(range = 1..=100, default = 10)]
    count: u32,
    /// A number with a sign.
    whole: Option<i64>,
    /// A number with a fraction.
    score: Option<f64>,
    /// A bounded text.
    #[arg(len = 0..=4)]
    text: Option<String>,
    /// Any text.
    note: Option<String>,
    /// Texts.
    tags: Vec<String>,
    /// Small numbers.
    sizes: Vec<u8>,
) -> Value {
    json!([flag, count, whole, score, text, note, tags, sizes])
}

/// A struct with fields of every sort.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Place {
    street: String,
    number: u8,
    #[serde(default)]
    floor: Option<i64>,
    tags: Vec<String>,
    sort: Option<Sort>,
    near: Option<Box<Place>>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    House,
    Flat,
}

/// Gives back what has parts.
#[tool(group = "fuzz")]
fn parts(
    /// A struct.
    place: Option<Place>,
    /// Structs.
    places: Vec<Place>,
    /// A name.
    sort: Option<Sort>,
    /// A pair.
    pair: Option<(i32, String)>,
    /// Numbers in rows.
    rows: Vec<Vec<f64>>,
) -> Value {
    json!([place, places, sort, pair, rows])
}

static EXECUTOR: LazyLock<Executor> = LazyLock::new(|| {
    let registry = Registry::builder().add::<EchoTool>().add::<PartsTool>().build().expect("a registry");
    Executor::standard(registry).build().expect("an executor")
});

fn told(result: ToolResult) -> String {
    match result {
        Ok(output) => json!([output.structured, output.meta]).to_string(),
        Err(error) => error.to_json().to_string(),
    }
}

fuzz_target!(|text: &str| {
    for tool in ["echo", "parts"] {
        let short = EXECUTOR.call_text_blocking(tool, text, &ToolContext::empty(), Caller::Test);
        let Ok(args) = parse_arguments(text, MAX_ARGS_BYTES) else {
            assert!(short.is_err(), "{text} is no object");
            continue;
        };
        let whole = EXECUTOR.call_blocking(Call::new(tool, args), &ToolContext::empty(), Caller::Test);
        assert_eq!(told(short), told(whole), "{tool} {text}");
    }
});
