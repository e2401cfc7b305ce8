//! What becomes of calls in doubt.

use tool_core::journal::{
    Answer, Begun, Class, Journal, JournalError, Outcome, RecordedCall, Resolution, ResolvedBy, RevertStatus,
    Row, RowQuery, Status, VerifyOptions,
};
use tool_core::prelude::*;
use tool_core::undo::{UNDO, undo};
use tool_core::{Caller, ErrorKind, Executor, Registry};

use super::{Bench, call, doubtful, failure, later, met, row, runs, settled};

pub(super) async fn marking_twice_marks_nothing_more(bench: &dyn Bench) {
    let journal = bench.open().await;
    doubtful(bench, &*journal, call("a", "k", Class::Manual)).await;
    let before = row(&*journal, "a").await;
    assert!(journal.mark_lost().await.unwrap().is_empty());
    assert_eq!(row(&*journal, "a").await, before);
}

pub(super) async fn calls_of_the_living_are_not_marked(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    let lease = runs(&*one, call("a", "k", Class::Manual)).await;
    assert!(other.mark_lost().await.unwrap().is_empty());
    assert!(one.mark_lost().await.unwrap().is_empty());
    assert!(other.is_alive(&row(&*other, "a").await).await);
    one.finish(lease, Outcome::ok("1")).await.unwrap();
}

pub(super) async fn marking_names_what_it_marked(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    for id in ["a", "b"] {
        runs(&*one, call(id, id, Class::Manual)).await;
    }
    bench.kill(one).await;
    let mut marked: Vec<String> =
        other.mark_lost().await.unwrap().into_iter().map(|row| row.call_id).collect();
    marked.sort();
    assert_eq!(marked, ["a", "b"]);
    assert!(!other.is_alive(&row(&*other, "a").await).await);
}

pub(super) async fn done_gives_the_outcome_to_later_calls(bench: &dyn Bench) {
    let journal = bench.open().await;
    doubtful(bench, &*journal, call("a", "k", Class::Manual)).await;
    journal.reconcile("a".to_owned(), Answer::Done("1".to_owned()), ResolvedBy::Person).await.unwrap();
    let Begun::Replay(first) = met(&*journal, later(call("b", "k", Class::Manual), 2)).await else {
        panic!("not replayed")
    };
    assert_eq!(first.output_json.as_deref(), Some("1"));
    assert_eq!(row(&*journal, "b").await.status, Status::Ok);
}

pub(super) async fn failed_gives_the_error_to_later_calls(bench: &dyn Bench) {
    let journal = bench.open().await;
    doubtful(bench, &*journal, call("a", "k", Class::Manual)).await;
    let error = tool_core::ToolError::failed("No money.").to_json().to_string();
    journal.reconcile("a".to_owned(), Answer::Failed(error), ResolvedBy::Person).await.unwrap();
    let Begun::Replay(first) = met(&*journal, later(call("b", "k", Class::Manual), 2)).await else {
        panic!("not replayed")
    };
    assert_eq!(first.error_kind(), Some(ErrorKind::Failed));
}

pub(super) async fn not_done_lets_later_calls_run(bench: &dyn Bench) {
    let journal = bench.open().await;
    doubtful(bench, &*journal, call("a", "k", Class::Manual)).await;
    journal.reconcile("a".to_owned(), Answer::NotDone, ResolvedBy::Person).await.unwrap();
    runs(&*journal, later(call("b", "k", Class::Manual), 2)).await;
}

pub(super) async fn unknown_leaves_the_doubt(bench: &dyn Bench) {
    let journal = bench.open().await;
    doubtful(bench, &*journal, call("a", "k", Class::Manual)).await;
    let row = journal.reconcile("a".to_owned(), Answer::Unknown, ResolvedBy::Reconcile).await.unwrap();
    assert_eq!(settled(&row), (Status::InDoubt, None, None));
}

pub(super) async fn a_try_to_settle_is_counted_before_it_is_made(bench: &dyn Bench) {
    let journal = bench.open().await;
    doubtful(bench, &*journal, call("a", "k", Class::Reconcile)).await;
    for tries in 1..=3 {
        let row = journal.reconcile("a".to_owned(), Answer::Trying, ResolvedBy::Recovery).await.unwrap();
        assert_eq!((settled(&row), row.recoveries), ((Status::InDoubt, None, None), tries));
    }
    journal.reconcile("a".to_owned(), Answer::NotDone, ResolvedBy::Reconcile).await.unwrap();
    let late = journal.reconcile("a".to_owned(), Answer::Trying, ResolvedBy::Recovery).await;
    assert_eq!(late.unwrap_err(), JournalError::NotInDoubt);
    let report = journal.verify(VerifyOptions { full: true, expect: None }).await.unwrap();
    assert!(report.verdict.is_ok(), "{report:?}");
}

pub(super) async fn abandoned_ends_it(bench: &dyn Bench) {
    let journal = bench.open().await;
    doubtful(bench, &*journal, call("a", "k", Class::Manual)).await;
    let row = journal.reconcile("a".to_owned(), Answer::Abandoned, ResolvedBy::Recovery).await.unwrap();
    assert_eq!(settled(&row), (Status::Reconciled, Some(Resolution::Abandoned), Some(ResolvedBy::Recovery)));
}

pub(super) async fn what_is_not_in_doubt_cannot_be_settled(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    let refused = journal.reconcile("a".to_owned(), Answer::NotDone, ResolvedBy::Person).await;
    assert_eq!(refused.unwrap_err(), JournalError::NotInDoubt);
    journal.finish(lease, failure(ErrorKind::Timeout, None)).await.unwrap();
    journal.reconcile("a".to_owned(), Answer::NotDone, ResolvedBy::Person).await.unwrap();
    let again = journal.reconcile("a".to_owned(), Answer::NotDone, ResolvedBy::Person).await;
    assert_eq!(again.unwrap_err(), JournalError::NotInDoubt);
}

pub(super) async fn an_unknown_call_cannot_be_settled(bench: &dyn Bench) {
    let journal = bench.open().await;
    let refused = journal.reconcile("x".to_owned(), Answer::NotDone, ResolvedBy::Person).await;
    assert_eq!(refused.unwrap_err(), JournalError::UnknownCall("x".to_owned()));
}

pub(super) async fn who_settled_it_is_recorded(bench: &dyn Bench) {
    let journal = bench.open().await;
    for (id, by) in [("a", ResolvedBy::Person), ("b", ResolvedBy::Reconcile), ("c", ResolvedBy::Recovery)] {
        doubtful(bench, &*journal, call(id, id, Class::Manual)).await;
        let row = journal.reconcile(id.to_owned(), Answer::NotDone, by).await.unwrap();
        assert_eq!(settled(&row), (Status::Reconciled, Some(Resolution::NotDone), Some(by)));
        assert!(row.resolved_at_ms >= Some(row.started_at_ms));
    }
}

pub(super) async fn settling_at_once_has_one_winner(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    doubtful(bench, &*one, call("a", "k", Class::Manual)).await;
    let (first, second) = tokio::join!(
        one.reconcile("a".to_owned(), Answer::NotDone, ResolvedBy::Person),
        other.reconcile("a".to_owned(), Answer::Abandoned, ResolvedBy::Person)
    );
    assert_eq!(usize::from(first.is_ok()) + usize::from(second.is_ok()), 1, "{first:?} {second:?}");
}

pub(super) async fn reverting_is_noted_and_comes_to_an_end(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    journal.finish(lease, Outcome::ok("1")).await.unwrap();
    let error = Some("{}".to_owned());
    for (status, error) in
        [(RevertStatus::Reverting, None), (RevertStatus::Failed, error), (RevertStatus::Reverted, None)]
    {
        let row = journal.revert("a".to_owned(), status, error.clone()).await.unwrap();
        assert_eq!((row.revert_status, row.revert_error_json), (Some(status), error));
    }
    let row = journal.revert("a".to_owned(), RevertStatus::Failed, None).await.unwrap();
    assert!(row.is_reverted() && row.reverted_at_ms.is_some(), "what is undone stays undone");
}

/// Puts.
#[tool(side_effect, idempotent, register = false, revert = take_back)]
fn put(
    /// Whether it stays.
    stays: bool,
) -> bool {
    stays
}

async fn take_back(call: &RecordedCall, _: &ToolContext) -> Result<(), ToolError> {
    match call.input["stays"].as_bool() {
        Some(true) => Err(ToolError::conflict("It stays.")),
        _ => Ok(()),
    }
}

/// A call that put something.
async fn put_there(journal: &dyn Journal, id: &str, input: &str) {
    let (tool_name, input_json) = ("put".to_owned(), input.to_owned());
    let row = Row { tool_name, input_json, has_revert: true, ..call(id, id, Class::Idempotent) };
    let lease = runs(journal, row).await;
    journal.finish(lease, Outcome::ok("1")).await.unwrap();
}

async fn undone(journal: &dyn Journal, id: &str) -> Result<(), ToolError> {
    let registry = Registry::builder().add::<PutTool>().build().unwrap();
    let executor = Executor::standard(registry).build().unwrap();
    undo(&executor, journal, &ToolContext::empty(), &row(journal, id).await, Caller::Cli, "demo 1").await
}

/// The calls that undo one.
async fn undoings(journal: &dyn Journal, id: &str) -> Vec<Row> {
    let query = RowQuery { tool: Some(UNDO.to_owned()), ..RowQuery::default() };
    let mut rows = journal.rows(&query).await.unwrap();
    rows.retain(|row| row.parent_call_id.as_deref() == Some(id));
    rows
}

pub(super) async fn undoing_a_call_is_a_call_of_its_own(bench: &dyn Bench) {
    let journal = bench.open().await;
    put_there(&*journal, "a", "{}").await;
    put_there(&*journal, "b", "{\"stays\":true}").await;
    undone(&*journal, "a").await.unwrap();
    let told = undoings(&*journal, "a").await;
    assert_eq!(told.len(), 1);
    assert_eq!((told[0].status, told[0].class, told[0].caller.as_str()), (Status::Ok, Class::Manual, "cli"));
    // It is no call of the run that it undoes.
    assert_eq!(told[0].run_id, format!("call:{}", told[0].call_id));
    assert!(row(&*journal, "a").await.is_reverted());

    assert_eq!(undone(&*journal, "b").await.unwrap_err().code_str(), "conflict");
    let failed = undoings(&*journal, "b").await.remove(0);
    assert_eq!((failed.status, failed.output_json), (Status::Error, None));
    assert!(failed.error_json.unwrap().contains("It stays."));
    assert_eq!(row(&*journal, "b").await.revert_status, Some(RevertStatus::Failed));
    // What cannot be undone is not begun.
    let lease = runs(&*journal, call("c", "c", Class::Manual)).await;
    journal.finish(lease, Outcome::ok("1")).await.unwrap();
    assert_eq!(undone(&*journal, "c").await.unwrap_err().code_str(), "no_handler");
    assert_eq!(undoings(&*journal, "c").await.len(), 0);
}

pub(super) async fn an_undoing_that_was_cut_off_is_given_up_by_the_next_one(bench: &dyn Bench) {
    let journal = bench.open().await;
    put_there(&*journal, "a", "{}").await;
    for (id, parent) in [("u", "a"), ("v", "other")] {
        let parent_call_id = Some(parent.to_owned());
        let cut_off = Row { tool_name: UNDO.to_owned(), parent_call_id, ..call(id, id, Class::Manual) };
        doubtful(bench, &*journal, cut_off).await;
    }
    undone(&*journal, "a").await.unwrap();
    let (given_up, person) = (Some(Resolution::Abandoned), Some(ResolvedBy::Person));
    assert_eq!(settled(&row(&*journal, "u").await), (Status::Reconciled, given_up, person));
    assert_eq!(row(&*journal, "v").await.status, Status::InDoubt, "it undoes another one");
    assert!(row(&*journal, "a").await.is_reverted());
}

pub(super) async fn a_late_outcome_of_a_call_that_is_undone_is_fenced(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    journal.finish(lease.clone(), failure(ErrorKind::Timeout, None)).await.unwrap();
    journal.revert("a".to_owned(), RevertStatus::Reverting, None).await.unwrap();
    assert_eq!(journal.finish(lease, Outcome::ok("1")).await.unwrap_err(), JournalError::Fenced);
    assert_eq!(row(&*journal, "a").await.revert_status, Some(RevertStatus::Failed));
}
