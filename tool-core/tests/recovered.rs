//! Settling and undoing calls when nobody makes them again: handlers that panic, tools that are gone. (journal.md §5, §8)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at what it cannot build"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use tool_core::journal::state::Recovery;
use tool_core::journal::{
    Journal as _, MemoryJournal, Reconciled, RecordedCall, Resolution, RevertStatus, Row, RowQuery, Status,
};
use tool_core::prelude::*;
use tool_core::recover::recover;
use tool_core::undo::undo;
use tool_core::{Call, Caller, Executor, JournalMode, Registry};

/// How often a handler was asked.
#[derive(Clone, Default)]
struct Asked(Arc<AtomicU32>);

/// Sails away, and takes whoever asks about it along.
#[tool(side_effect, idempotent = false, reconcile = capsize, register = false)]
fn sail() -> Result<(), ToolError> {
    Err(ToolError::unavailable("gone"))
}

async fn capsize(_: &RecordedCall, ctx: &ToolContext) -> Reconciled {
    if let Some(asked) = ctx.capability::<Asked>() {
        asked.0.fetch_add(1, Ordering::SeqCst);
    }
    panic!("capsized")
}

/// Charges, and hands its key on.
#[tool(side_effect, idempotent = false, register = false)]
fn charge(
    /// How much.
    amount: u64,
    ctx: &ToolContext,
) -> Result<u64, ToolError> {
    match ctx.idempotency_key() {
        "" => Ok(amount),
        _ => Err(ToolError::timeout("late")),
    }
}

/// Builds what falls when it is taken down.
#[tool(side_effect, idempotent = false, revert = collapse, register = false)]
fn build(
    /// What.
    what: String,
) -> String {
    what
}

async fn collapse(call: &RecordedCall, _: &ToolContext) -> Result<(), ToolError> {
    match call.input["what"].as_str() {
        Some("tower") => panic!("collapsed"),
        _ => Ok(()),
    }
}

fn executor(journal: &Arc<MemoryJournal>, registry: Registry) -> Executor {
    let journal = Arc::clone(journal);
    Executor::standard(registry).journal(journal, JournalMode::All, "demo 1").build().unwrap()
}

fn all() -> Registry {
    Registry::builder().add::<SailTool>().add::<ChargeTool>().add::<BuildTool>().build().unwrap()
}

async fn only(journal: &MemoryJournal) -> Row {
    let rows = journal.rows(&RowQuery::default()).await.unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows[0].clone()
}

#[tokio::test]
async fn a_handler_that_panics_is_asked_three_times_and_the_call_is_given_up() {
    let journal = Arc::new(MemoryJournal::new());
    let (executor, asked) = (executor(&journal, all()), Asked::default());
    let ctx = ToolContext::builder().provide(asked.clone()).build();
    executor.call(Call::new("sail", json!({})), &ctx, Caller::Test).await.unwrap_err();
    for tries in 1..=3 {
        let row = only(&journal).await;
        assert_eq!(recover(&executor, &*journal, &ctx, &row).await.unwrap(), Recovery::Surface);
        let row = only(&journal).await;
        assert_eq!((row.status, row.recoveries), (Status::InDoubt, tries));
    }
    let row = only(&journal).await;
    assert_eq!(recover(&executor, &*journal, &ctx, &row).await.unwrap(), Recovery::Abandon);
    let row = only(&journal).await;
    assert_eq!((row.status, row.resolution), (Status::Reconciled, Some(Resolution::Abandoned)));
    assert_eq!(asked.0.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_call_whose_tool_is_gone_is_left_to_a_person_and_one_that_is_there_runs() {
    let journal = Arc::new(MemoryJournal::new());
    let (whole, ctx) = (executor(&journal, all()), ToolContext::empty());
    whole.call(Call::new("charge", json!({"amount": 5})), &ctx, Caller::Test).await.unwrap_err();
    let row = only(&journal).await;
    let without = executor(&journal, Registry::builder().add::<SailTool>().build().unwrap());
    assert_eq!(recover(&without, &*journal, &ctx, &row).await.unwrap(), Recovery::Surface);
    assert_eq!(only(&journal).await, row, "nothing began");
    assert_eq!(recover(&whole, &*journal, &ctx, &row).await.unwrap(), Recovery::Rerun);
    let rows = journal.rows(&RowQuery::default()).await.unwrap();
    let again = rows.iter().find(|row| row.superseded_by.is_none()).unwrap();
    assert_eq!((rows.len(), again.recoveries, again.caller.as_str()), (2, 1, "test"));
    assert_eq!(again.tool_key, row.tool_key);
}

#[tokio::test]
async fn what_panics_while_it_is_undone_failed_and_others_can_be_undone() {
    let journal = Arc::new(MemoryJournal::new());
    let (executor, ctx) = (executor(&journal, all()), ToolContext::empty());
    for (what, code, status) in
        [("tower", Some("panic"), RevertStatus::Failed), ("shed", None, RevertStatus::Reverted)]
    {
        executor.call(Call::new("build", json!({"what": what})), &ctx, Caller::Test).await.unwrap();
        let query = RowQuery { tool: Some("build".to_owned()), ..RowQuery::default() };
        let is_new = |row: &Row| row.revert_status.is_none();
        let row = journal.rows(&query).await.unwrap().into_iter().find(is_new).unwrap();
        let undone = undo(&executor, &*journal, &ctx, &row, Caller::Test, "demo 1").await;
        assert_eq!(undone.as_ref().err().map(ToolError::code_str), code, "{what}");
        let query = RowQuery { call_id: Some(row.call_id), ..RowQuery::default() };
        let row = journal.rows(&query).await.unwrap().pop().unwrap();
        assert_eq!(row.revert_status, Some(status), "{what}");
    }
}
