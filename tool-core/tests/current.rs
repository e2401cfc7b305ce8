//! The context of the call that runs: what a function finds that was not handed one.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{Call, Caller, ErrorKind, Executor, Registry};

/// Tells of the call that it is in.
#[tool]
fn tell() -> Value {
    let of = |ctx: ToolContext| {
        let call = ctx.running().unwrap();
        json!({"tool": call.tool(), "caller": format!("{:?}", call.caller()), "id": call.id(), "key": ctx.idempotency_key()})
    };
    let (first, second) = (of(ToolContext::current().unwrap()), of(ToolContext::current().unwrap()));
    assert_eq!(first, second, "whoever asks finds the same call");
    first
}

/// Ends the call that it is in.
#[tool]
fn give_up() -> bool {
    ToolContext::current().unwrap().cancel();
    ToolContext::current().unwrap().is_cancelled()
}

/// Stops unexpectedly.
#[tool]
fn stop() -> bool {
    assert!(ToolContext::current().is_none(), "there is a call");
    true
}

fn executor() -> Executor {
    let registry =
        Registry::builder().add::<TellTool>().add::<GiveUpTool>().add::<StopTool>().build().unwrap();
    Executor::standard(registry).build().unwrap()
}

#[test]
fn a_function_without_a_context_finds_the_call_that_it_is_in() {
    let call = Call {
        call_id: Some("c-1".to_owned()),
        idempotency_key: Some("k-1".to_owned()),
        ..Call::new("tell", json!({}))
    };
    let output = executor().call_blocking(call, &ToolContext::empty(), Caller::Llm).unwrap();
    assert_eq!(output.data(), json!({"tool": "tell", "caller": "Llm", "id": "c-1", "key": "k-1"}));
    assert!(ToolContext::current().is_none(), "outside of a call there is none");
}

#[test]
fn each_call_has_an_id_of_its_own() {
    let executor = executor();
    let id = || {
        executor.call_text_blocking("tell", "{}", &ToolContext::empty(), Caller::Cli).unwrap().data()["id"]
            .clone()
    };
    let (one, other) = (id(), id());
    assert!(one.as_str().is_some_and(|id| id.len() == 36), "{one}");
    assert_ne!(one, other);
}

#[test]
fn ending_one_call_ends_neither_its_host_nor_the_next() {
    let (executor, host) = (executor(), ToolContext::empty());
    for _ in 0..2 {
        let output = executor.call_text_blocking("give_up", "", &host, Caller::Test).unwrap();
        assert_eq!(output.data(), json!(true));
        assert!(!host.is_cancelled());
    }
}

#[test]
fn a_function_without_a_context_is_not_begun_for_a_host_that_went_away() {
    let host = ToolContext::empty();
    host.cancel();
    let error = executor().call_text_blocking("tell", "{}", &host, Caller::Test).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[test]
fn after_a_panic_there_is_no_call_any_more() {
    let error = executor().call_text_blocking("stop", "{}", &ToolContext::empty(), Caller::Test).unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::Internal, "panic"));
    assert!(ToolContext::current().is_none());
}
