//! What an outcome becomes.

use tool_core::journal::state::{self, Ended};
use tool_core::journal::{Class, JournalError, Lease, Outcome, Resolution, ResolvedBy, Status, Word as _};
use tool_core::{Effect, ErrorKind};

use super::{Bench, call, doubtful, failure, row, runs, settled};

pub(super) async fn an_outcome_is_there_when_it_is_acknowledged(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    let lease = runs(&*one, call("a", "k", Class::Manual)).await;
    let written = one.finish(lease, Outcome::ok("{\"structured\":\"x\"}")).await.unwrap();
    assert_eq!(row(&*other, "a").await, written);
    assert_eq!((written.status, written.effect), (Status::Ok, Some(Effect::Done)));
    assert!(written.finished_at_ms >= Some(written.started_at_ms));
}

pub(super) async fn an_outcome_without_lease_is_fenced(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    let forged = Lease { token: lease.token ^ 1, ..lease.clone() };
    assert_eq!(journal.finish(forged, Outcome::ok("1")).await.unwrap_err(), JournalError::Fenced);
    journal.finish(lease, Outcome::ok("1")).await.unwrap();
}

pub(super) async fn an_outcome_is_written_once(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    journal.finish(lease.clone(), Outcome::ok("1")).await.unwrap();
    assert_eq!(journal.finish(lease, Outcome::ok("2")).await.unwrap_err(), JournalError::Fenced);
}

pub(super) async fn a_fenced_outcome_changes_nothing(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    journal.finish(lease.clone(), Outcome::ok("1")).await.unwrap();
    let before = row(&*journal, "a").await;
    journal.finish(lease, failure(ErrorKind::Failed, None)).await.unwrap_err();
    assert_eq!(row(&*journal, "a").await, before);
}

pub(super) async fn a_superseded_call_cannot_finish(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    let lease = runs(&*one, call("a", "k", Class::Keyed)).await;
    one.finish(lease.clone(), failure(ErrorKind::Timeout, None)).await.unwrap();
    let again = runs(&*other, call("b", "k", Class::Keyed)).await;
    assert_eq!(one.finish(lease, Outcome::ok("late")).await.unwrap_err(), JournalError::Fenced);
    other.finish(again, Outcome::ok("1")).await.unwrap();
}

pub(super) async fn an_unsafe_timeout_is_in_doubt(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Keyed)).await;
    let row = journal.finish(lease, failure(ErrorKind::Timeout, None)).await.unwrap();
    assert_eq!((row.status, row.effect), (Status::InDoubt, Some(Effect::Unknown)));
}

pub(super) async fn an_idempotent_timeout_is_an_error(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Idempotent)).await;
    let row = journal.finish(lease, failure(ErrorKind::Timeout, None)).await.unwrap();
    assert_eq!((row.status, row.effect), (Status::Error, Some(Effect::Unknown)));
}

pub(super) async fn a_cancelled_idempotent_call_is_cancelled(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Idempotent)).await;
    assert_eq!(
        journal.finish(lease, failure(ErrorKind::Cancelled, None)).await.unwrap().status,
        Status::Cancelled
    );
    runs(&*journal, call("b", "k", Class::Idempotent)).await;
}

pub(super) async fn a_reported_effect_beats_the_kind(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    let row = journal.finish(lease, failure(ErrorKind::Unavailable, Some(Effect::None))).await.unwrap();
    assert_eq!((row.status, row.effect), (Status::Error, Some(Effect::None)));
}

pub(super) async fn a_late_outcome_settles_the_doubt(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    journal.finish(lease.clone(), failure(ErrorKind::Timeout, None)).await.unwrap();
    let row = journal.finish(lease.clone(), Outcome::ok("1")).await.unwrap();
    assert_eq!(settled(&row), (Status::Reconciled, Some(Resolution::Ok), Some(ResolvedBy::Late)));
    assert_eq!(row.output_json.as_deref(), Some("1"));
    assert_eq!(journal.finish(lease, Outcome::ok("2")).await.unwrap_err(), JournalError::Fenced);
}

pub(super) async fn a_late_timeout_leaves_the_doubt(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    for _ in 0..2 {
        let row = journal.finish(lease.clone(), failure(ErrorKind::Timeout, None)).await.unwrap();
        assert_eq!(row.status, Status::InDoubt);
    }
}

pub(super) async fn running_is_noted(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    journal.running(&lease);
    // What is queued behind it is done after it.
    runs(&*journal, call("b", "l", Class::Manual)).await;
    assert_eq!(row(&*journal, "a").await.status, Status::Running);
    journal.finish(lease, Outcome::ok("1")).await.unwrap();
}

pub(super) async fn a_promise_that_was_not_kept_is_noted(bench: &dyn Bench) {
    let journal = bench.open().await;
    for (id, took_key) in [("a", true), ("b", false)] {
        let lease = runs(&*journal, call(id, id, Class::Keyed)).await;
        let row = journal.finish(lease, Outcome { took_key, ..Outcome::ok("1") }).await.unwrap();
        assert_eq!(row.takes_key, took_key);
    }
}

pub(super) async fn the_kind_decides_whether_a_repeat_may_help(bench: &dyn Bench) {
    let journal = bench.open().await;
    for (id, kind, retryable) in [("a", ErrorKind::RateLimited, true), ("b", ErrorKind::Failed, false)] {
        let lease = runs(&*journal, call(id, id, Class::Manual)).await;
        let row = journal.finish(lease, failure(kind, None)).await.unwrap();
        assert_eq!(row.is_retryable(), retryable);
    }
}

pub(super) async fn cancel_and_finish_at_once_leave_one_outcome(bench: &dyn Bench) {
    let journal = bench.open().await;
    for nth in 0..1_000 {
        let id = nth.to_string();
        let lease = runs(&*journal, call(&id, &id, Class::Manual)).await;
        let known = failure(ErrorKind::Cancelled, Some(Effect::None));
        let (done, cancelled) = if nth % 2 == 0 {
            tokio::join!(journal.finish(lease.clone(), Outcome::ok("1")), journal.finish(lease, known))
        } else {
            let (cancelled, done) =
                tokio::join!(journal.finish(lease.clone(), known), journal.finish(lease, Outcome::ok("1")));
            (done, cancelled)
        };
        assert_eq!(usize::from(done.is_ok()) + usize::from(cancelled.is_ok()), 1, "call {nth}");
        let status = row(&*journal, &id).await.status;
        assert_eq!(status, if done.is_ok() { Status::Ok } else { Status::Cancelled });
    }
}

pub(super) async fn every_kind_of_every_class_is_recorded_by_the_table(bench: &dyn Bench) {
    let journal = bench.open().await;
    let says = [None, Some(Effect::None), Some(Effect::Done), Some(Effect::Unknown)];
    for (class, word) in Class::WORDS.iter().filter(|(class, _)| *class != Class::Pure) {
        for kind in ErrorKind::all() {
            for says in says {
                let id = format!("{word}-{}-{says:?}", kind.as_str());
                let lease = runs(&*journal, call(&id, &id, *class)).await;
                let row = journal.finish(lease, failure(kind, says)).await.unwrap();
                let (status, effect) = state::finish(*class, Ended::Error { kind, says });
                assert_eq!((row.status, row.effect), (status, Some(effect)), "{id}");
            }
        }
    }
    doubtful(bench, &*journal, call("last", "last", Class::Manual)).await;
}
