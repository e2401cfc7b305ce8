//! Approvals that a test has written down: answered in order, and everything else fails the test. (calls.md §5)

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use serde_json::json;
use tool_core::prelude::*;
use tool_core::test::Script;
use tool_core::{ApprovalLevel, Call, Caller, Decision, Executor, Registry};

/// Deletes.
#[tool(destructive, idempotent, register = false)]
fn remove(
    /// What to delete.
    id: u64,
) -> u64 {
    id
}

fn remove_with(script: &Script, id: u64) -> Result<(), String> {
    let registry = Registry::builder().add::<RemoveTool>().build().unwrap();
    let executor = Executor::standard(registry).approve(ApprovalLevel::Destructive).build().unwrap();
    let ctx = ToolContext::builder().approver(script.clone()).build();
    let result = executor.call_blocking(Call::new("remove", json!({"id": id})), &ctx, Caller::Test);
    result.map(drop).map_err(|error| error.code_str().to_owned())
}

#[test]
fn answers_come_in_order_and_for_their_call_alone() {
    let script = Script::new().expect("remove", |args| args["id"] == 1, Decision::AllowOnce).expect(
        "remove",
        |args| args["id"] == 2,
        Decision::Deny { reason: None },
    );
    assert_eq!(remove_with(&script, 1), Ok(()));
    assert_eq!(remove_with(&script, 2), Err("approval_denied".to_owned()));
    assert!(script.forgive().is_empty());
}

#[test]
fn an_unexpected_question_is_refused_and_fails_the_test() {
    let script = Script::new().expect("remove", |args| args["id"] == 1, Decision::AllowOnce);
    assert_eq!(remove_with(&script, 7), Err("approval_denied".to_owned()));
    let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(script)));
    let told = *dropped.unwrap_err().downcast::<String>().unwrap();
    assert!(told.contains("asked about remove with {\"id\":7}"), "{told}");
}

#[test]
fn an_answer_that_nobody_asks_for_fails_the_test() {
    let script = Script::new().expect("remove", |_| true, Decision::AllowOnce);
    let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(script)));
    let told = *dropped.unwrap_err().downcast::<String>().unwrap();
    assert!(told.contains("nobody asked about remove"), "{told}");
}
