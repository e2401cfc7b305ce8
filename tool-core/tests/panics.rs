//! A panic anywhere in what an author wrote is the error of one call: in a type, in a default, in what is dropped at its end.

#![allow(clippy::unwrap_used, clippy::panic, reason = "they are what is tested")]

use std::panic::panic_any;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{BoxFuture, Call, Caller, ErrorKind, Executor, Invocation, Layer, Next, Registry};

/// A word whose author trusted it to be long.
#[derive(JsonSchema)]
#[schemars(with = "String")]
struct Word(String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        assert!(text.len() > 3, "hunter2");
        Ok(Word(text))
    }
}

/// Decodes a word.
#[tool(register = false)]
fn decode(
    /// Word.
    word: Word,
) -> String {
    word.0
}

/// Decodes a word, later.
#[tool(register = false)]
async fn decode_later(
    /// Word.
    word: Word,
) -> String {
    word.0
}

fn computed() -> u32 {
    panic!("hunter2")
}

/// Has a default that cannot be made.
#[tool(register = false)]
fn default_panics(
    /// Number.
    #[arg(default = computed())]
    number: u32,
) -> u32 {
    number
}

/// What cannot be dropped.
struct Stuck;

impl Drop for Stuck {
    fn drop(&mut self) {
        panic!("hunter2");
    }
}

/// Waits with something that cannot be dropped, or returns.
#[tool(register = false, timeout = "20ms")]
async fn wait(
    /// Wait.
    hold: bool,
) -> String {
    if hold {
        let _stuck = Stuck;
        std::future::pending::<()>().await;
    }
    "done".to_owned()
}

/// Panics with something that cannot be dropped, or returns.
#[tool(register = false)]
fn throw(
    /// Throw.
    hold: bool,
) -> String {
    if hold {
        panic_any(Stuck);
    }
    "done".to_owned()
}

/// A layer that only stands in the way of the short path.
struct Through;

impl Layer for Through {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        next.run(inv)
    }
}

fn tools() -> Registry {
    let builder = Registry::builder().add::<DecodeTool>().add::<DecodeLaterTool>();
    builder.add::<DefaultPanicsTool>().add::<WaitTool>().add::<ThrowTool>().build().unwrap()
}

/// The results of one call on every way to make it.
fn on_every_way(tool: &str, args: &Value) -> Vec<(&'static str, ToolResult)> {
    let plain = Executor::standard(tools()).build().unwrap();
    let layered = Executor::standard(tools()).before("run", Through).build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (ctx, call) = (ToolContext::empty(), || Call::new(tool, args.clone()));
    vec![
        ("value", plain.call_blocking(call(), &ctx, Caller::Test)),
        ("text", plain.call_text_blocking(tool, &args.to_string(), &ctx, Caller::Test)),
        ("runtime", runtime.block_on(plain.call(call(), &ctx, Caller::Test))),
        ("layered", runtime.block_on(layered.call(call(), &ctx, Caller::Test))),
    ]
}

fn all_panic(tool: &str, args: Value) {
    for (way, result) in on_every_way(tool, &args) {
        let error = result.unwrap_err();
        assert_eq!((error.kind(), error.code_str()), (ErrorKind::Internal, "panic"), "{tool}, {way}");
        assert!(!error.to_json().to_string().contains("hunter2"), "{tool}, {way}");
    }
}

fn all_return(tool: &str, args: Value, expected: Value) {
    for (way, result) in on_every_way(tool, &args) {
        assert_eq!(result.unwrap().data(), expected, "{tool}, {way}");
    }
}

#[test]
fn a_type_that_panics_while_it_is_decoded_ends_its_call_only() {
    for tool in ["decode", "decode_later"] {
        all_panic(tool, json!({"word": "abc"}));
        all_return(tool, json!({"word": "abcd"}), json!("abcd"));
    }
}

#[test]
fn a_default_that_panics_ends_its_call_only() {
    all_panic("default_panics", json!({}));
    all_return("default_panics", json!({"number": 5}), json!(5));
}

#[test]
fn what_panics_when_it_is_dropped_at_the_deadline_changes_no_result() {
    for (way, result) in on_every_way("wait", &json!({"hold": true})) {
        assert_eq!(result.unwrap_err().kind(), ErrorKind::Timeout, "{way}");
    }
    all_return("wait", json!({"hold": false}), json!("done"));
}

#[test]
fn what_is_panicked_with_may_panic_once_more() {
    all_panic("throw", json!({"hold": true}));
    all_return("throw", json!({"hold": false}), json!("done"));
}

#[tokio::test]
async fn a_plan_of_a_call_that_panics_is_refused() {
    let executor = Executor::standard(tools()).build().unwrap();
    let plan = async |word: &str| {
        executor.plan(Call::new("decode", json!({"word": word})), &ToolContext::empty(), Caller::Test).await
    };
    assert_eq!(plan("abc").await.unwrap_err().code_str(), "panic");
    assert!(plan("abcd").await.is_ok());
}
