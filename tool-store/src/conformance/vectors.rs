//! The vectors that a store can show: transitions and what a call meets, by real rows.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::journal::{
    Answer, Begin, Begun, Class, Journal, JournalError, Lease, Outcome, Resolution, ResolvedBy, Row,
    RowQuery, Status, Word,
};
use tool_core::{Effect, ErrorKind, ToolError};

use super::{Bench, begin, call, row};

/// How long a row may take to show what was written.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the groups `step`, `begin`, `seq` and `seq_order` of journal.json.
pub(super) async fn vectors_of_steps_and_beginnings(bench: &dyn Bench) {
    let Some(cases) = cases() else { return };
    let mut ran = 0;
    for (nth, case) in cases.iter().enumerate() {
        // One journal serves all: each case has a tenant of its own.
        match check(bench, case, &nth.to_string()).await {
            None => {}
            Some(Ok(())) => ran += 1,
            Some(Err(difference)) => panic!("{}: {difference}", case["id"]),
        }
    }
    println!("vectors: {ran} cases of journal.json");
    assert!(ran >= 100, "only {ran} cases");
}

fn cases() -> Option<Vec<Value>> {
    let folder = std::env::var_os("TOOL_VECTORS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/vectors")),
        PathBuf::from,
    );
    let Ok(text) = std::fs::read_to_string(folder.join("journal.json")) else {
        assert_ne!(std::env::var("TOOL_REQUIRE_PEERS").as_deref(), Ok("1"), "no journal.json");
        println!("skipped: no vectors");
        return None;
    };
    let file: Value = serde_json::from_str(&text).expect("vectors are JSON");
    file["cases"].as_array().cloned()
}

/// Runs a case in a tenant of its own; `None` for a group that is not about a store.
pub async fn check(bench: &dyn Bench, case: &Value, tenant: &str) -> Option<Result<(), String>> {
    match case["group"].as_str()? {
        "step" => Some(step(bench, case, tenant).await),
        "begin" => Some(beginning(bench, case, tenant).await),
        "seq" => Some(seq(bench, case, tenant).await),
        "seq_order" => Some(seq_order(bench, case, tenant).await),
        _ => None,
    }
}

fn same(got: &Value, expected: &Value) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("the store gave {got}, expected {expected}")) }
}

fn word<W: Word>(value: &Value) -> Option<W> {
    W::of_word(value.as_str()?)
}

fn kind(value: &Value) -> Option<ErrorKind> {
    ErrorKind::all().find(|kind| value == kind.as_str())
}

fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap_or(1)).unwrap()
}

fn outcome(kind: Option<ErrorKind>, says: Option<Effect>) -> Outcome {
    match kind {
        None => Outcome::ok("\"done\""),
        Some(kind) => super::failure(kind, says),
    }
}

/// A row that came to its state as rows do: the handle that owns it, and its lease.
async fn made(bench: &dyn Bench, said: &Value, base: Row) -> (Option<Arc<dyn Journal>>, Lease) {
    let owner = bench.open().await;
    let id = base.call_id.clone();
    let lease = super::runs(&*owner, base).await;
    let status: Status = word(&said["status"]).unwrap();
    let doubt = outcome(Some(ErrorKind::Internal), Some(Effect::Unknown));
    match status {
        Status::Intent => {}
        Status::Running => {
            owner.running(&lease);
            begun(&*owner, &id).await;
        }
        Status::Ok => drop(owner.finish(lease.clone(), outcome(None, None)).await.unwrap()),
        Status::Error => {
            let kind = kind(&said["kind"]).unwrap_or(ErrorKind::Failed);
            drop(owner.finish(lease.clone(), outcome(Some(kind), word(&said["effect"]))).await.unwrap());
        }
        Status::Cancelled => {
            let cancelled = outcome(Some(ErrorKind::Cancelled), Some(Effect::None));
            drop(owner.finish(lease.clone(), cancelled).await.unwrap());
        }
        Status::InDoubt | Status::Reconciled => {
            // An idempotent call comes into doubt only by the death of its owner.
            if owner.finish(lease.clone(), doubt).await.unwrap().status != Status::InDoubt {
                unreachable!("{said} has an unsafe class")
            }
        }
    }
    if status == Status::Reconciled {
        let answer = match word(&said["resolution"]) {
            Some(Resolution::Ok) => Answer::Done("\"done\"".to_owned()),
            Some(Resolution::Error) => Answer::Failed("{\"kind\":\"failed\"}".to_owned()),
            Some(Resolution::NotDone) => Answer::NotDone,
            _ => Answer::Abandoned,
        };
        owner.reconcile(id, answer, ResolvedBy::Person).await.unwrap();
    }
    (Some(owner), lease)
}

/// Waits until a row says that its call runs: that is written, but not waited for.
async fn begun(journal: &dyn Journal, id: &str) {
    let shows = async {
        while super::row(journal, id).await.status != Status::Running {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, shows).await.expect("the row says that its call runs");
}

async fn step(bench: &dyn Bench, case: &Value, tenant: &str) -> Result<(), String> {
    let journal = bench.open().await;
    let event = &case["do"];
    let id = format!("{tenant}-row");
    let class = word(&event["class"]).unwrap_or(Class::Manual);
    let class_of_row =
        if class == Class::Idempotent && case["row"]["status"] == "in_doubt" { return Ok(()) } else { class };
    let base = Row { tenant: tenant.to_owned(), ..call(&id, "k", class_of_row) };
    let (mut owner, lease) = made(bench, &case["row"], base.clone()).await;
    let token = if case["token"] == "same" { lease.token } else { lease.token ^ 1 };
    let lease = Lease { token, ..lease };
    // Rows count tries by being tried: a count cannot be given.
    if case["row"]["recoveries"].as_u64().is_some_and(|count| count > 0) {
        return Ok(());
    }
    let before = row(&*journal, &id).await;
    let result: Result<Row, JournalError> = match event["event"].as_str().unwrap() {
        "start" => {
            owner.as_ref().unwrap().running(&lease);
            let probe =
                Row { tenant: tenant.to_owned(), ..call(&format!("{id}-probe"), "probe", Class::Manual) };
            super::runs(&**owner.as_ref().unwrap(), probe).await;
            let now = row(&*journal, &id).await;
            if now == before { Err(JournalError::Fenced) } else { Ok(now) }
        }
        "cancel_before_start" if case["row"]["status"] == "running" => return Ok(()),
        "cancel_before_start" if case["row"]["status"] == "in_doubt" => return Ok(()),
        "cancel_before_start" => {
            let cancelled = outcome(Some(ErrorKind::Cancelled), Some(Effect::None));
            journal.finish(lease, cancelled).await
        }
        "owner_lost" => {
            bench.kill(owner.take().unwrap()).await;
            journal.mark_lost().await.unwrap();
            Ok(row(&*journal, &id).await)
        }
        "finish" => journal.finish(lease, outcome(kind(&event["outcome"]), word(&event["tool_says"]))).await,
        "reconcile" => {
            let answer = match event["answer"].as_str().unwrap() {
                "done" => Answer::Done("\"done\"".to_owned()),
                "failed" => Answer::Failed(ToolError::failed("no").to_json().to_string()),
                "not_done" => Answer::NotDone,
                _ => Answer::Unknown,
            };
            journal.reconcile(id.clone(), answer, ResolvedBy::Reconcile).await
        }
        _ => return Ok(()),
    };
    let got = match &result {
        Ok(now) if *now == before && case["expect"]["unchanged"] == true => json!({"unchanged": true}),
        Ok(now) => {
            let mut got = json!({"status": now.status.word()});
            if let (Some(resolution), Some(by)) = (now.resolution, now.resolved_by) {
                got["resolution"] = json!(resolution.word());
                got["resolved_by"] = json!(by.word());
            }
            got
        }
        Err(JournalError::Fenced) => json!({"error": "fenced"}),
        Err(JournalError::NotInDoubt) => json!({"error": "conflict", "code": "not_in_doubt"}),
        Err(other) => json!({"error": other.code()}),
    };
    if result.is_err() && row(&*journal, &id).await != before {
        return Err("a refused transition changed the row".to_owned());
    }
    same(&got, &case["expect"])
}

async fn beginning(bench: &dyn Bench, case: &Value, tenant: &str) -> Result<(), String> {
    let journal = bench.open().await;
    let class: Class = word(&case["call"]["class"]).unwrap();
    let said = &case["row"];
    let (id, first) = (format!("{tenant}-new"), format!("{tenant}-row"));
    let mut owner = None;
    if said.is_object() && class != Class::Pure {
        let args = if said["same_args"] == false { "other" } else { "args" };
        let base = Row {
            tenant: tenant.to_owned(),
            attempt: number(&said["attempt"]),
            args_sha256: args.to_owned(),
            ..call(&first, "k", class)
        };
        if class == Class::Idempotent && matches!(said["status"].as_str(), Some("in_doubt" | "reconciled")) {
            // An idempotent call comes into doubt only by the death of its owner.
            super::doubtful(bench, &*journal, base).await;
            if said["status"] == "reconciled" {
                let answer = match word(&said["resolution"]) {
                    Some(Resolution::Ok) => Answer::Done("\"done\"".to_owned()),
                    Some(Resolution::Error) => Answer::Failed("{\"kind\":\"failed\"}".to_owned()),
                    Some(Resolution::NotDone) => Answer::NotDone,
                    _ => Answer::Abandoned,
                };
                journal.reconcile(first.clone(), answer, ResolvedBy::Person).await.unwrap();
            }
        } else {
            owner = made(bench, said, base).await.0;
        }
        if said["owner_alive"] == false
            && let Some(owner) = owner.take()
        {
            bench.kill(owner).await;
        }
    }
    let new =
        Row { tenant: tenant.to_owned(), attempt: number(&case["call"]["attempt"]), ..call(&id, "k", class) };
    let begun = journal.begin(begin(new)).await.unwrap();
    let mut got = match begun {
        Begun::Run(_) => {
            json!({"decision": if said.is_object() && class != Class::Pure { "rerun" } else { "run" }})
        }
        Begun::Replay(_) => json!({"decision": "replay"}),
        Begun::Wait(_) => json!({"decision": "wait"}),
        Begun::Reconcile(..) => json!({"decision": "reconcile"}),
        Begun::Ask(_) => json!({"decision": "ask"}),
        Begun::Refuse(error) => {
            json!({"decision": "refuse", "kind": error.kind().as_str(), "code": error.code_str()})
        }
    };
    if case["expect"]["marks"].is_string() {
        got["marks"] = json!(row(&*journal, &first).await.status.word());
    }
    same(&got, &case["expect"])
}

async fn seq(bench: &dyn Bench, case: &Value, tenant: &str) -> Result<(), String> {
    let journal = bench.open().await;
    let one = |id: String| Row { tenant: tenant.to_owned(), ..call(&id, &id, Class::Manual) };
    for existing in case["existing"].as_array().unwrap() {
        super::runs(&*journal, one(format!("{tenant}-{existing}"))).await;
    }
    let restarted = bench.open().await;
    let mut given = Vec::new();
    for nth in 0..case["calls"].as_u64().unwrap() {
        given.push(super::runs(&*restarted, one(format!("{tenant}-new-{nth}"))).await.seq);
    }
    same(&json!(given), &case["seqs"])
}

async fn seq_order(bench: &dyn Bench, case: &Value, tenant: &str) -> Result<(), String> {
    let journal = bench.open().await;
    let inserted = case["inserted"].as_array().unwrap();
    let mut made: Vec<(u32, u32)> = Vec::new();
    for pair in inserted {
        let (attempt, seq) = (number(&pair[0]), number(&pair[1]));
        // Numbers are given by the journal: those before are used up first.
        while made.iter().filter(|(of, _)| *of == attempt).count() < usize::try_from(seq).unwrap() {
            let nth = u32::try_from(made.iter().filter(|(of, _)| *of == attempt).count()).unwrap() + 1;
            let id = format!("{tenant}-{attempt}-{nth}");
            let new = Begin {
                row: Row { tenant: tenant.to_owned(), attempt, ..call(&id, &id, Class::Manual) },
                ..Begin::default()
            };
            assert!(matches!(journal.begin(new).await.unwrap(), Begun::Run(_)));
            made.push((attempt, nth));
        }
    }
    let task = tool_core::journal::Task { tenant: tenant.to_owned(), ..super::task() };
    let rows = journal.rows(&RowQuery { task: Some(task), ..RowQuery::default() }).await.unwrap();
    let pair = |row: &Row| json!([row.attempt, row.seq]);
    let listed: Vec<Value> = rows.iter().map(pair).filter(|pair| inserted.contains(pair)).collect();
    same(&json!(listed), &case["listed"])
}
