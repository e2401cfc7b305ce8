//! What is read back.

use tool_core::journal::chain::{Head, Verdict};
use tool_core::journal::replay_gate::ReplayConsent;
use tool_core::journal::{
    Begun, CallKey, Class, KeyForm, Outcome, Row, RowQuery, Status, Task, Unprotected, VerifyOptions,
};

use super::{Bench, call, later, met, row, runs, task};

pub(super) async fn rows_are_in_the_order_of_numbers(bench: &dyn Bench) {
    let journal = bench.open().await;
    for attempt in [10, 2, 1] {
        for nth in 1..=11 {
            let id = format!("{attempt}-{nth}");
            runs(&*journal, later(call(&id, &id, Class::Keyed), attempt)).await;
        }
    }
    let query = RowQuery { task: Some(task()), ..RowQuery::default() };
    let rows = journal.rows(&query).await.unwrap();
    let order: Vec<(u32, u32)> = rows.iter().map(|row| (row.attempt, row.seq)).collect();
    let expected: Vec<(u32, u32)> =
        [1, 2, 10].into_iter().flat_map(|a| (1..=11).map(move |n| (a, n))).collect();
    assert_eq!(order, expected);
}

pub(super) async fn rows_are_found_by_each_question(bench: &dyn Bench) {
    let journal = bench.open().await;
    let lease = runs(&*journal, call("a", "k", Class::Keyed)).await;
    journal.finish(lease, Outcome::ok("1")).await.unwrap();
    runs(&*journal, Row { tool_name: "refund".to_owned(), ..later(call("b", "l", Class::Keyed), 2) }).await;
    runs(&*journal, Row { run_id: "other".to_owned(), ..call("c", "m", Class::Keyed) }).await;
    let all = RowQuery::default();
    let questions = [
        (RowQuery { call_id: Some("a".to_owned()), ..all.clone() }, vec!["a"]),
        (RowQuery { task: Some(task()), ..all.clone() }, vec!["a", "b"]),
        (RowQuery { run_id: Some("other".to_owned()), ..all.clone() }, vec!["c"]),
        (RowQuery { attempt: Some(2), ..all.clone() }, vec!["b"]),
        (RowQuery { tool: Some("refund".to_owned()), ..all.clone() }, vec!["b"]),
        (RowQuery { call_key: Some("m".to_owned()), ..all.clone() }, vec!["c"]),
        (RowQuery { status: Some(Status::Ok), ..all.clone() }, vec!["a"]),
        (RowQuery { limit: Some(1), task: Some(task()), ..all.clone() }, vec!["a"]),
        (RowQuery { run_id: Some("none".to_owned()), ..all }, vec![]),
    ];
    for (query, expected) in questions {
        let rows = journal.rows(&query).await.unwrap();
        assert_eq!(rows.iter().map(|row| row.call_id.as_str()).collect::<Vec<_>>(), expected, "{query:?}");
    }
}

pub(super) async fn rows_are_found_by_what_the_replay_gate_asks(bench: &dyn Bench) {
    let (journal, other) = (bench.open().await, bench.open().await);
    let mine = runs(&*journal, call("mine", "a", Class::Manual)).await;
    journal.finish(mine, Outcome::ok("\"what came out\"")).await.unwrap();
    runs(&*other, call("theirs", "b", Class::Manual)).await;
    runs(&*other, call("keyed", "c", Class::Keyed)).await;
    runs(&*other, call("idempotent", "d", Class::Idempotent)).await;
    runs(&*other, later(call("later", "e", Class::Manual), 3)).await;
    runs(&*other, Row { args_sha256: "others".to_owned(), ..later(call("second", "f", Class::Manual), 2) })
        .await;
    let unprotected = |before, except: Option<&str>| RowQuery {
        task: Some(task()),
        unprotected: Some(Unprotected { before, except: except.map(str::to_owned) }),
        brief: true,
        ..RowQuery::default()
    };
    let questions = [
        (unprotected(1, None), vec![]),
        (unprotected(1, Some(journal.owner())), vec!["theirs"]),
        (unprotected(2, None), vec!["mine", "theirs"]),
        (unprotected(2, Some(journal.owner())), vec!["mine", "theirs", "second"]),
        (RowQuery { args_sha256: Some("others".to_owned()), ..RowQuery::default() }, vec!["second"]),
        (RowQuery { args_sha256: Some("args".to_owned()), ..unprotected(3, None) }, vec!["mine", "theirs"]),
    ];
    for (query, expected) in questions {
        let rows = journal.rows(&query).await.unwrap();
        let found: Vec<&str> = rows.iter().map(|row| row.call_id.as_str()).collect();
        assert_eq!(found, expected, "{query:?}");
        let is_brief = |row: &Row| row.input_json.is_empty() && row.output_json.is_none();
        assert!(rows.iter().all(|row| is_brief(row) == query.brief), "{rows:?}");
    }
}

pub(super) async fn pages_join_to_the_whole(bench: &dyn Bench) {
    let journal = bench.open().await;
    for nth in 0..23 {
        let id = nth.to_string();
        runs(&*journal, call(&id, &id, Class::Keyed)).await;
    }
    let whole = journal.rows(&RowQuery { task: Some(task()), ..RowQuery::default() }).await.unwrap();
    let mut joined: Vec<Row> = Vec::new();
    loop {
        let after = joined.last().map(|row| row.call_id.clone());
        let query = RowQuery { task: Some(task()), after, limit: Some(5), ..RowQuery::default() };
        let page = journal.rows(&query).await.unwrap();
        assert!(page.len() <= 5);
        if page.is_empty() {
            break;
        }
        joined.extend(page);
    }
    assert_eq!(joined, whole);
}

pub(super) async fn every_column_is_read_back(bench: &dyn Bench) {
    let journal = bench.open().await;
    let given = Row {
        tenant: "t".to_owned(),
        iteration: 7,
        agent: Some("writer".to_owned()),
        parent_call_id: Some("p".to_owned()),
        trace_id: Some("trace".to_owned()),
        key_form: KeyForm::Explicit,
        ordinal: 3,
        definition: Some("sha256:0".to_owned()),
        destructive: true,
        has_revert: true,
        approval_id: Some("ap".to_owned()),
        approved_by: Some("person".to_owned()),
        policy_sha256: Some("p".to_owned()),
        ..call("a", "k", Class::Reconcile)
    };
    runs(&*journal, given.clone()).await;
    let read = row(&*journal, "a").await;
    let expected = Row {
        seq: 1,
        started_at_ms: read.started_at_ms,
        owner: read.owner.clone(),
        lease_token: read.lease_token,
        lease_until: read.lease_until,
        ..given
    };
    assert_eq!(read, expected);
}

pub(super) async fn large_values_are_whole(bench: &dyn Bench) {
    let journal = bench.open().await;
    for (id, size) in [("a", 64 * 1024), ("b", 64 * 1024 + 1), ("c", 3_000_000)] {
        let text = format!("{{\"structured\":\"{}\"}}", "é".repeat(size / 2));
        let given = Row { input_json: text.clone(), ..call(id, id, Class::Keyed) };
        let lease = runs(&*journal, given).await;
        journal.finish(lease, Outcome::ok(text.clone())).await.unwrap();
        let read = row(&*journal, id).await;
        assert!(read.input_json == text && read.output_json.as_deref() == Some(&text), "{id}");
        let Begun::Replay(first) = met(&*journal, later(call(&format!("{id}2"), id, Class::Keyed), 2)).await
        else {
            panic!("not replayed")
        };
        assert!(first.output_json.as_deref() == Some(&text), "{id}");
    }
    let report = journal.verify(VerifyOptions { full: true, expect: None }).await.unwrap();
    assert!(report.verdict.is_ok(), "{}", report.verdict);
}

pub(super) async fn unicode_is_kept(bench: &dyn Bench) {
    let journal = bench.open().await;
    let text = "\"\u{1f600}\u{301}\u{fb33}\u{2028}\u{7f}'\\\"\"";
    let given = Row {
        run_id: "läuft-\u{1f680}".to_owned(),
        node_id: "'; DROP TABLE tool_calls; --".to_owned(),
        input_json: text.to_owned(),
        ..call("ä", "schlüssel", Class::Keyed)
    };
    let lease = runs(&*journal, given.clone()).await;
    journal.finish(lease, Outcome::ok(text)).await.unwrap();
    let query = RowQuery { task: Some(Task::of(&given)), ..RowQuery::default() };
    let rows = journal.rows(&query).await.unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].input_json.as_str(), rows[0].output_json.as_deref()), (text, Some(text)));
}

pub(super) async fn a_read_is_recorded(bench: &dyn Bench) {
    let journal = bench.open().await;
    let read = Row {
        status: Status::Ok,
        output_json: Some("1".to_owned()),
        finished_at_ms: Some(0),
        ..call("a", "k", Class::Pure)
    };
    journal.record(read);
    // What is queued behind it is done after it.
    runs(&*journal, call("b", "l", Class::Keyed)).await;
    let row = row(&*journal, "a").await;
    assert_eq!((row.status, row.seq, row.finished_at_ms), (Status::Ok, 1, Some(row.started_at_ms)));
}

pub(super) async fn attempts_count_up(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    assert_eq!(one.next_attempt(&task()).await.unwrap(), 1);
    assert_eq!(other.next_attempt(&task()).await.unwrap(), 2);
    assert_eq!(one.next_attempt(&Task { iteration: 1, ..task() }).await.unwrap(), 1);
}

pub(super) async fn attempts_go_on_behind_recorded_ones(bench: &dyn Bench) {
    let journal = bench.open().await;
    runs(&*journal, call("a", "k", Class::Keyed)).await;
    assert_eq!(journal.next_attempt(&task()).await.unwrap(), 2);
    runs(&*journal, later(call("b", "l", Class::Keyed), 7)).await;
    assert_eq!(journal.next_attempt(&task()).await.unwrap(), 8);
}

pub(super) async fn attempts_taken_at_once_differ(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    let mut taken = Vec::new();
    for _ in 0..20 {
        let task = task();
        let (a, b) = tokio::join!(one.next_attempt(&task), other.next_attempt(&task));
        taken.extend([a.unwrap(), b.unwrap()]);
    }
    taken.sort_unstable();
    assert_eq!(taken, (1..=40).collect::<Vec<u32>>());
}

pub(super) async fn consents_are_kept_with_their_task(bench: &dyn Bench) {
    let journal = bench.open().await;
    let given =
        [true, false].map(|allow| ReplayConsent { fingerprint: format!("f{allow}"), attempt: 2, allow });
    for consent in &given {
        journal.consent(task(), consent.clone()).await.unwrap();
    }
    let mut kept = journal.consents(&task()).await.unwrap();
    kept.sort_by_key(|consent| !consent.allow);
    assert_eq!(kept, given);
    assert!(journal.consents(&Task { iteration: 1, ..task() }).await.unwrap().is_empty());
}

pub(super) async fn looking_through_finds_nothing_wrong(bench: &dyn Bench) {
    let journal = bench.open().await;
    for id in ["a", "b"] {
        let lease = runs(&*journal, call(id, id, Class::Keyed)).await;
        journal.finish(lease, Outcome::ok("1")).await.unwrap();
    }
    met(&*journal, later(call("c", "a", Class::Keyed), 2)).await;
    let report = journal.verify(VerifyOptions { full: true, expect: None }).await.unwrap();
    assert!(report.verdict.is_ok(), "{}", report.verdict);
    assert_eq!((report.entries, report.rows), (5, 3));
}

pub(super) async fn a_head_kept_elsewhere_is_met(bench: &dyn Bench) {
    let journal = bench.open().await;
    runs(&*journal, call("a", "a", Class::Keyed)).await;
    let Verdict::Ok(head) = journal.verify(VerifyOptions::default()).await.unwrap().verdict else {
        panic!("not ok")
    };
    runs(&*journal, call("b", "b", Class::Keyed)).await;
    let report = journal.verify(VerifyOptions { full: true, expect: Some(head) }).await.unwrap();
    assert!(report.verdict.is_ok(), "{}", report.verdict);
}

pub(super) async fn a_head_that_never_was_is_not(bench: &dyn Bench) {
    let journal = bench.open().await;
    runs(&*journal, call("a", "a", Class::Keyed)).await;
    for (n, word) in [(1, "seal_mismatch"), (9, "truncated")] {
        let expect = Some(Head { n, hash: [7; 32] });
        let report = journal.verify(VerifyOptions { full: true, expect }).await.unwrap();
        assert!(report.verdict.to_string().starts_with(word), "{}", report.verdict);
    }
}

pub(super) async fn a_live_row_is_peeked_at(bench: &dyn Bench) {
    let journal = bench.open().await;
    let key = CallKey { tenant: String::new(), tool: "charge".to_owned(), key: "k".to_owned() };
    assert_eq!(journal.peek(&key).await.unwrap(), None);
    runs(&*journal, call("a", "k", Class::Keyed)).await;
    assert_eq!(journal.peek(&key).await.unwrap().unwrap().call_id, "a");
}
