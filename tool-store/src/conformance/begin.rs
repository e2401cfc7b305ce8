//! What a call meets.

use tool_core::ErrorKind;
use tool_core::journal::Answer;
use tool_core::journal::chain::Verdict;
use tool_core::journal::{
    Begin, Begun, CallKey, Class, Outcome, Resolution, ResolvedBy, Row, RowQuery, Status, VerifyOptions,
};

use super::{Bench, begin, call, doubtful, failure, later, met, row, runs};

pub(super) async fn a_new_key_runs(bench: &dyn Bench) {
    let journal = bench.open().await;
    assert_eq!(runs(&*journal, call("a", "k", Class::Keyed)).await.call_id, "a");
}

pub(super) async fn the_first_call_of_an_attempt_has_number_one(bench: &dyn Bench) {
    let journal = bench.open().await;
    assert_eq!(runs(&*journal, call("a", "k", Class::Keyed)).await.seq, 1);
    assert_eq!(runs(&*journal, call("b", "l", Class::Keyed)).await.seq, 2);
}

pub(super) async fn numbers_go_on_where_another_handle_stopped(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    assert_eq!(runs(&*one, call("a", "k", Class::Keyed)).await.seq, 1);
    assert_eq!(runs(&*other, call("b", "l", Class::Keyed)).await.seq, 2);
    assert_eq!(runs(&*one, call("c", "m", Class::Keyed)).await.seq, 3);
}

pub(super) async fn numbers_of_attempts_are_independent(bench: &dyn Bench) {
    let journal = bench.open().await;
    runs(&*journal, call("a", "k", Class::Keyed)).await;
    assert_eq!(runs(&*journal, later(call("b", "l", Class::Keyed), 2)).await.seq, 1);
}

pub(super) async fn numbers_of_tasks_are_independent(bench: &dyn Bench) {
    let journal = bench.open().await;
    runs(&*journal, call("a", "k", Class::Keyed)).await;
    let elsewhere = [
        Row { node_id: "other".to_owned(), ..call("b", "l", Class::Keyed) },
        Row { iteration: 1, ..call("c", "m", Class::Keyed) },
        Row { run_id: "other".to_owned(), ..call("d", "n", Class::Keyed) },
        Row { tenant: "other".to_owned(), ..call("e", "o", Class::Keyed) },
    ];
    for row in elsewhere {
        assert_eq!(runs(&*journal, row).await.seq, 1);
    }
}

pub(super) async fn the_intent_is_there_before_the_effect(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    runs(&*one, call("a", "k", Class::Manual)).await;
    assert_eq!(row(&*other, "a").await.status, Status::Intent);
}

pub(super) async fn the_intent_has_owner_lease_and_time(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    let row = row(&*journal, "a").await;
    assert_eq!((row.owner.as_deref(), row.lease_token), (Some(journal.owner()), Some(lease.token)));
    assert!(row.started_at_ms > 1_700_000_000_000, "{}", row.started_at_ms);
    assert_eq!((row.finished_at_ms, row.recoveries), (None, 0));
}

pub(super) async fn a_finished_call_is_replayed(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    journal.finish(lease, Outcome::ok("{\"structured\":1}")).await.unwrap();
    let Begun::Replay(first) = met(&*journal, later(call("b", "k", Class::Manual), 2)).await else {
        panic!("not replayed")
    };
    assert_eq!((first.call_id.as_str(), first.output_json.as_deref()), ("a", Some("{\"structured\":1}")));
}

pub(super) async fn a_replay_is_a_row_of_its_own(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    journal.finish(lease, Outcome::ok("1")).await.unwrap();
    met(&*journal, later(call("b", "k", Class::Manual), 2)).await;
    let replay = row(&*journal, "b").await;
    assert_eq!((replay.status, replay.replay_of.as_deref(), replay.seq), (Status::Ok, Some("a"), 1));
    assert_eq!(replay.output_json.as_deref(), Some("1"));
}

pub(super) async fn a_replay_of_a_replay_gives_the_first_outcome(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    journal.finish(lease, Outcome::ok("1")).await.unwrap();
    for id in ["b", "c"] {
        let Begun::Replay(first) = met(&*journal, later(call(id, "k", Class::Manual), 2)).await else {
            panic!("not replayed")
        };
        assert_eq!(first.call_id, "a");
    }
    assert_eq!(row(&*journal, "c").await.seq, 2);
}

pub(super) async fn a_failed_call_is_replayed_with_its_error(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    journal.finish(lease, failure(ErrorKind::Failed, None)).await.unwrap();
    let Begun::Replay(first) = met(&*journal, later(call("b", "k", Class::Manual), 2)).await else {
        panic!("not replayed")
    };
    assert_eq!(first.error_kind(), Some(ErrorKind::Failed));
    assert_eq!(row(&*journal, "b").await.status, Status::Error);
}

pub(super) async fn other_arguments_conflict(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    journal.finish(lease, Outcome::ok("1")).await.unwrap();
    let other = Row { args_sha256: "other".to_owned(), ..call("b", "k", Class::Manual) };
    let Begun::Refuse(error) = met(&*journal, other).await else { panic!("not refused") };
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::Conflict, "idempotency_conflict"));
    assert!(
        journal
            .rows(&RowQuery { call_id: Some("b".to_owned()), ..RowQuery::default() })
            .await
            .unwrap()
            .is_empty()
    );
}

pub(super) async fn another_tool_may_have_the_same_key(bench: &dyn Bench) {
    let journal = bench.open().await;
    runs(&*journal, call("a", "k", Class::Manual)).await;
    runs(&*journal, Row { tool_name: "refund".to_owned(), ..call("b", "k", Class::Manual) }).await;
}

pub(super) async fn another_tenant_may_have_the_same_key(bench: &dyn Bench) {
    let journal = bench.open().await;
    runs(&*journal, call("a", "k", Class::Manual)).await;
    runs(&*journal, Row { tenant: "other".to_owned(), ..call("b", "k", Class::Manual) }).await;
}

pub(super) async fn a_running_call_is_waited_for(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    let _lease = runs(&*one, call("a", "k", Class::Manual)).await;
    assert!(matches!(met(&*other, call("b", "k", Class::Manual)).await, Begun::Wait(_)));
    assert!(matches!(met(&*one, call("c", "k", Class::Manual)).await, Begun::Wait(_)));
}

pub(super) async fn the_wait_ends_with_the_outcome(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    let lease = runs(&*one, call("a", "k", Class::Manual)).await;
    let Begun::Wait(waiter) = met(&*other, call("b", "k", Class::Manual)).await else { panic!("no wait") };
    let (waited, finished) = tokio::join!(
        tokio::time::timeout(std::time::Duration::from_secs(20), waiter),
        one.finish(lease, Outcome::ok("1"))
    );
    waited.expect("the wait ends");
    finished.unwrap();
    assert!(matches!(met(&*other, call("b", "k", Class::Manual)).await, Begun::Replay(_)));
}

pub(super) async fn the_wait_ends_with_the_owner(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    runs(&*one, call("a", "k", Class::Idempotent)).await;
    let Begun::Wait(waiter) = met(&*other, call("b", "k", Class::Idempotent)).await else {
        panic!("no wait")
    };
    bench.kill(one).await;
    tokio::time::timeout(std::time::Duration::from_secs(20), waiter).await.expect("the wait ends");
    runs(&*other, call("b", "k", Class::Idempotent)).await;
}

pub(super) async fn a_dead_owner_leaves_doubt_and_an_idempotent_call_runs_again(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    runs(&*one, call("a", "k", Class::Idempotent)).await;
    bench.kill(one).await;
    runs(&*other, call("b", "k", Class::Idempotent)).await;
    let lost = row(&*other, "a").await;
    assert_eq!((lost.status, lost.superseded_by.as_deref()), (Status::InDoubt, Some("b")));
}

pub(super) async fn a_dead_owner_leaves_doubt_and_a_keyed_call_runs_again(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    let lease = runs(&*one, call("a", "k", Class::Keyed)).await;
    one.running(&lease);
    bench.kill(one).await;
    runs(&*other, call("b", "k", Class::Keyed)).await;
}

pub(super) async fn a_dead_owner_leaves_doubt_and_a_manual_call_is_asked_about(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    runs(&*one, call("a", "k", Class::Manual)).await;
    bench.kill(one).await;
    let Begun::Ask(lost) = met(&*other, call("b", "k", Class::Manual)).await else { panic!("not asked") };
    assert_eq!((lost.call_id.as_str(), lost.status), ("a", Status::InDoubt));
    assert_eq!(row(&*other, "a").await.status, Status::InDoubt, "the mark stays");
}

pub(super) async fn a_dead_owner_leaves_doubt_and_a_reconcilable_call_is_reconciled(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    runs(&*one, call("a", "k", Class::Reconcile)).await;
    bench.kill(one).await;
    let Begun::Reconcile(lost, _) = met(&*other, call("b", "k", Class::Reconcile)).await else {
        panic!("not reconciled")
    };
    assert_eq!((lost.call_id.as_str(), lost.recoveries), ("a", 1));
    assert_eq!(row(&*other, "a").await.recoveries, 1, "the try is counted before it is made");
}

pub(super) async fn a_call_with_consent_runs_in_place_of_the_one_in_doubt(bench: &dyn Bench) {
    let journal = bench.open().await;
    doubtful(bench, &*journal, call("a", "k", Class::Manual)).await;
    let consented = Begin { consented: Some("a".to_owned()), ..begin(call("b", "k", Class::Manual)) };
    assert!(matches!(journal.begin(consented).await.unwrap(), Begun::Run(_)));
    assert_eq!(row(&*journal, "a").await.superseded_by.as_deref(), Some("b"));
}

pub(super) async fn consent_for_another_call_is_none(bench: &dyn Bench) {
    let journal = bench.open().await;
    doubtful(bench, &*journal, call("a", "k", Class::Manual)).await;
    let consented = Begin { consented: Some("x".to_owned()), ..begin(call("b", "k", Class::Manual)) };
    assert!(matches!(journal.begin(consented).await.unwrap(), Begun::Ask(_)));
}

pub(super) async fn a_rerun_supersedes_in_one_transaction(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Manual)).await;
    journal.finish(lease, failure(ErrorKind::RateLimited, None)).await.unwrap();
    runs(&*journal, call("b", "k", Class::Manual)).await;
    assert_eq!(row(&*journal, "a").await.superseded_by.as_deref(), Some("b"));
    let key = CallKey { tool: "charge".to_owned(), key: "k".to_owned(), ..CallKey::default() };
    assert_eq!(journal.peek(&key).await.unwrap().unwrap().call_id, "b");
}

pub(super) async fn a_rerun_carries_its_recoveries_over(bench: &dyn Bench) {
    let journal = bench.open().await;
    doubtful(bench, &*journal, call("a", "k", Class::Keyed)).await;
    for (nth, id) in [(1, "b"), (2, "c")] {
        doubtful(bench, &*journal, call(id, "k", Class::Keyed)).await;
        assert_eq!(row(&*journal, id).await.recoveries, nth);
    }
}

pub(super) async fn an_abandoned_call_is_refused(bench: &dyn Bench) {
    let journal = bench.open().await;
    doubtful(bench, &*journal, call("a", "k", Class::Manual)).await;
    journal.reconcile("a".to_owned(), Answer::Abandoned, ResolvedBy::Recovery).await.unwrap();
    let Begun::Refuse(error) = met(&*journal, later(call("b", "k", Class::Manual), 2)).await else {
        panic!("not refused")
    };
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::Conflict, "abandoned"));
    assert_eq!(row(&*journal, "a").await.resolution, Some(Resolution::Abandoned));
}

pub(super) async fn a_former_name_is_met(bench: &dyn Bench) {
    let journal = bench.open().await;
    let old = Row { tool_name: "bill".to_owned(), ..call("a", "old", Class::Manual) };
    let lease = runs(&*journal, old).await;
    journal.finish(lease, Outcome::ok("1")).await.unwrap();
    let renamed = Begin {
        former: vec![("bill".to_owned(), "old".to_owned())],
        ..begin(later(call("b", "new", Class::Manual), 2))
    };
    assert!(matches!(journal.begin(renamed).await.unwrap(), Begun::Replay(_)));
    runs(&*journal, later(call("c", "new", Class::Manual), 2)).await;
}

pub(super) async fn a_call_id_is_taken_once(bench: &dyn Bench) {
    let journal = bench.open().await;
    runs(&*journal, call("a", "k", Class::Manual)).await;
    let error = journal.begin(begin(call("a", "l", Class::Manual))).await.unwrap_err();
    assert_eq!(error.code(), "call_id_taken");
    runs(&*journal, call("b", "l", Class::Manual)).await;
}

pub(super) async fn a_pure_call_always_runs(bench: &dyn Bench) {
    let journal = bench.open().await;
    for id in ["a", "b"] {
        let lease = runs(&*journal, call(id, "k", Class::Pure)).await;
        journal.finish(lease, Outcome::ok("1")).await.unwrap();
    }
}

pub(super) async fn a_call_that_waited_for_an_answer_goes_on_in_its_row(bench: &dyn Bench) {
    let journal = bench.open().await;
    let first = runs(&*journal, call("a", "k", Class::Manual)).await;
    let mut waits = failure(ErrorKind::Denied, None);
    waits.retryable = Some(true);
    journal.finish(first.clone(), waits).await.unwrap();
    // Who let it pass is known by now; what was written with the first round stays.
    let admitted = Row {
        approved_by: Some("person".to_owned()),
        program: "test 2".to_owned(),
        ..call("a", "k", Class::Manual)
    };
    let second = runs(&*journal, admitted).await;
    assert_eq!((second.call_id.as_str(), second.seq), ("a", first.seq));
    let begun = row(&*journal, "a").await;
    assert_eq!((begun.approved_by.as_deref(), begun.program.as_str()), (Some("person"), "test 1"));
    assert_eq!((begun.status, begun.error_json, begun.finished_at_ms), (Status::Intent, None, None));
    // The round that ended holds nothing any more.
    assert!(journal.finish(first, Outcome::ok("0")).await.is_err());
    journal.finish(second, Outcome::ok("1")).await.unwrap();
    let rows = journal.rows(&RowQuery::default()).await.unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!((rows[0].status, rows[0].output_json.as_deref()), (Status::Ok, Some("1")));
    let report = journal.verify(VerifyOptions { full: true, expect: None }).await.unwrap();
    assert!(matches!(report.verdict, Verdict::Ok(_)), "the chain holds: {report:?}");
}
