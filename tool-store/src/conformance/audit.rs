//! Audit rows beside the calls: with the outcome where one is recorded, one for a call that waited for an answer, one for a call
//! whose owner died. A journal that keeps none says so. (calls.md §12)

use serde_json::Value;
use tool_core::journal::{Class, Journal, JournalError, Outcome, Row};
use tool_core::{AuditQuery, AuditRow};

use super::{Bench, call, doubtful, runs};

fn told(id: &str, outcome: &'static str, at_ms: u64) -> AuditRow {
    AuditRow {
        call_id: id.to_owned(),
        at_ms,
        agent: "operator".to_owned(),
        tool: "charge".to_owned(),
        outcome,
        rounds: 1,
        args: serde_json::json!({"amount": 5}),
        ..AuditRow::default()
    }
}

fn now() -> u64 {
    u64::try_from(tool_core::journal::now_ms()).unwrap()
}

async fn all(journal: &dyn Journal) -> Vec<Value> {
    journal.audited(&AuditQuery::default()).await.unwrap()
}

/// Whether a row is kept; a journal that keeps none refuses it.
async fn keeps(journal: &dyn Journal) -> bool {
    let keeps = journal.keeps_audit();
    if !keeps {
        assert!(journal.audit(told("a", "ok", now())).await.is_err());
        assert_eq!(all(journal).await, [Value::Null; 0]);
    }
    keeps
}

pub(super) async fn an_audit_row_is_written_with_the_outcome_and_not_without(bench: &dyn Bench) {
    let journal = bench.open().await;
    if !keeps(&*journal).await {
        return;
    }
    let with_row = |id| Outcome { audit: Some(Box::new(told(id, "ok", now()))), ..Outcome::ok("1") };
    let lease = runs(&*journal, call("a", "a", Class::Manual)).await;
    assert_eq!(all(&*journal).await.len(), 0);
    journal.finish(lease.clone(), with_row("a")).await.unwrap();
    let rows = all(&*journal).await;
    assert_eq!(rows, [serde_json::to_value(told("a", "ok", rows[0]["at_ms"].as_u64().unwrap())).unwrap()]);
    // An outcome that is refused has no row either.
    assert_eq!(journal.finish(lease, with_row("a")).await.unwrap_err(), JournalError::Fenced);
    assert_eq!(all(&*journal).await.len(), 1);
}

pub(super) async fn the_rounds_of_a_call_are_one_audit_row(bench: &dyn Bench) {
    let journal = bench.open().await;
    if !keeps(&*journal).await {
        return;
    }
    let waits = |at_ms| AuditRow { code: Some("input_required".to_owned()), ..told("a", "denied", at_ms) };
    let began = now();
    for row in [waits(began), waits(began + 5), told("a", "ok", began + 9)] {
        journal.audit(row).await.unwrap();
    }
    let rows = all(&*journal).await;
    assert_eq!((rows.len(), &rows[0]["outcome"], &rows[0]["rounds"]), (1, &"ok".into(), &3.into()));
    assert_eq!((&rows[0]["at_ms"], &rows[0]["code"]), (&began.into(), &Value::Null));
    // A call that ended is not gone on with: another one has its id from its caller.
    journal.audit(told("a", "ok", began + 10)).await.unwrap();
    let other = AuditRow { tenant: "other".to_owned(), ..waits(began + 11) };
    journal.audit(other).await.unwrap();
    journal.audit(told("a", "ok", began + 12)).await.unwrap();
    assert_eq!(all(&*journal).await.len(), 4);
}

pub(super) async fn a_call_whose_owner_died_has_its_audit_row_from_who_finds_it(bench: &dyn Bench) {
    let journal = bench.open().await;
    if !keeps(&*journal).await {
        return;
    }
    doubtful(bench, &*journal, call("a", "a", Class::Manual)).await;
    journal.mark_lost().await.unwrap();
    let rows = all(&*journal).await;
    let of = |member: &str| rows[0][member].as_str().unwrap();
    assert_eq!((rows.len(), of("call_id"), of("outcome"), of("tool")), (1, "a", "in_doubt", "charge"));
}

pub(super) async fn a_lost_call_is_told_of_as_any_other(bench: &dyn Bench) {
    let journal = bench.open().await;
    if !keeps(&*journal).await {
        return;
    }
    let input =
        serde_json::json!({"url": "https://ex.com/p?email=ann@x.org&plan=gold", "text": "x".repeat(300)});
    let row = Row { input_json: input.to_string(), destructive: true, ..call("a", "a", Class::Manual) };
    doubtful(bench, &*journal, row).await;
    let rows = all(&*journal).await;
    let (args, effects) = (&rows[0]["args"], &rows[0]["effects"]);
    assert_eq!((&args["url"], effects), (&"https://ex.com/p?***".into(), &"destructive".into()), "{args}");
    assert_eq!((&args["text"]["$preview"], &args["text"]["bytes"]), (&"x".repeat(100).into(), &300.into()));
}

pub(super) async fn audit_rows_are_found_by_each_question_the_newest_first(bench: &dyn Bench) {
    let journal = bench.open().await;
    if !keeps(&*journal).await {
        return;
    }
    let began = now();
    for (nth, (id, outcome)) in (0..).zip([("a", "ok"), ("b", "denied"), ("c", "ok"), ("d", "failed")]) {
        let row = told(id, outcome, began + nth);
        let tool = if id == "c" { "ship".to_owned() } else { row.tool.clone() };
        journal.audit(AuditRow { tool, agent: format!("agent-{}", nth % 2), ..row }).await.unwrap();
    }
    let ids = async |query: AuditQuery| -> String {
        let rows = journal.audited(&query).await.unwrap();
        rows.iter().map(|row| row["call_id"].as_str().unwrap()).collect()
    };
    let text = |text: &str| Some(text.to_owned());
    let none = AuditQuery::default;
    journal.audit(AuditRow { tool: "a\0b".to_owned(), ..told("z", "not_found", began - 1) }).await.unwrap();
    assert_eq!(ids(none()).await, "dcbaz");
    assert_eq!(ids(AuditQuery { limit: Some(2), ..none() }).await, "dc");
    assert_eq!(ids(AuditQuery { tool: text("charge"), ..none() }).await, "dba");
    assert_eq!(ids(AuditQuery { agent: text("agent-1"), ..none() }).await, "db");
    assert_eq!(ids(AuditQuery { outcome: text("ok"), ..none() }).await, "ca");
    let since_ms = i64::try_from(began).unwrap() + 2;
    assert_eq!(ids(AuditQuery { since_ms, outcome: text("ok"), ..none() }).await, "c");
}

pub(super) async fn audit_rows_go_after_ninety_days(bench: &dyn Bench) {
    let journal = bench.open().await;
    if !keeps(&*journal).await {
        return;
    }
    let day = 24 * 3_600 * 1_000;
    journal.audit(told("old", "ok", now() - 91 * day)).await.unwrap();
    journal.audit(told("young", "ok", now() - 89 * day)).await.unwrap();
    assert_eq!(all(&*journal).await.len(), 2);
    journal.mark_lost().await.unwrap();
    let rows = all(&*journal).await;
    assert_eq!((rows.len(), &rows[0]["call_id"]), (1, &"young".into()));
}
