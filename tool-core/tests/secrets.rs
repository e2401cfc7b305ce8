//! A tool reaches the secrets that it declares, and no other is so much as looked up.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::sync::{Arc, Mutex};

use serde_json::json;
use tool_core::prelude::*;
use tool_core::{Call, Caller, Executor, Registry, SecretSource};

/// A store that remembers which keys were read.
#[derive(Clone, Default)]
struct Watched(Arc<Mutex<Vec<String>>>);

impl SecretSource for Watched {
    fn get(&self, key: &str) -> Option<Secret> {
        self.0.lock().unwrap().push(key.to_owned());
        Some(Secret::new("k-1"))
    }
}

/// Asks for a secret.
#[tool(register = false, requires(secret = "DECLARED"))]
fn ask(
    /// Which.
    key: &str,
    ctx: &ToolContext,
) -> Result<usize, ToolError> {
    Ok(ctx.secret(key)?.expose().len())
}

/// Asks whether a secret is there.
#[tool(register = false, requires(secret = "DECLARED"))]
fn peek(
    /// Which.
    key: &str,
    ctx: &ToolContext,
) -> bool {
    ctx.has_secret(key)
}

fn call(key: &str) -> (ToolResult, Vec<String>) {
    call_of("ask", key)
}

fn call_of(tool: &str, key: &str) -> (ToolResult, Vec<String>) {
    let store = Watched::default();
    let ctx = ToolContext::builder().secrets(store.clone()).build();
    let registry = Registry::builder().add::<AskTool>().add::<PeekTool>().build().unwrap();
    let executor = Executor::standard(registry).build().unwrap();
    let result = executor.call_blocking(Call::new(tool, json!({ "key": key })), &ctx, Caller::Test);
    let read = store.0.lock().unwrap().clone();
    (result, read)
}

#[test]
fn an_undeclared_secret_is_refused_before_the_store_is_asked() {
    let (result, read) = call("OTHER");
    let error = result.unwrap_err();
    assert_eq!((error.kind().as_str(), error.code_str()), ("internal", "secret_undeclared"));
    assert_eq!(
        error.message(),
        "ask asked for the secret OTHER, which it does not declare; add requires(secret = \"OTHER\")."
    );
    assert_eq!(read, [""; 0]);

    let (result, read) = call("DECLARED");
    assert_eq!(result.unwrap().data(), 3);
    assert!(read.iter().all(|key| key == "DECLARED") && !read.is_empty(), "{read:?}");
}

#[test]
fn whether_an_undeclared_secret_is_set_cannot_be_asked_either() {
    let (result, read) = call_of("peek", "OTHER");
    assert_eq!((result.unwrap().data(), read), (json!(false), vec![]));
    let (result, _) = call_of("peek", "DECLARED");
    assert_eq!(result.unwrap().data(), json!(true));
}
