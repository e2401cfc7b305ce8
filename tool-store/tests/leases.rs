//! Leases that run out: a worker without its database cancels what must not be done twice and starts nothing more, and the
//! reaper of another one marks what was left. (journal.md §11)

#![cfg(feature = "postgres")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

mod server;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use server::Server;
use tokio::sync::Notify;
use tool_core::journal::{Journal as _, Row, RowQuery, Status, Task};
use tool_core::prelude::*;
use tool_core::{AuditQuery, Call, Caller, Coordinates, Executor, JournalMode, Registry};
use tool_store::postgres::Leases;
use tool_store::{Meter, PostgresJournal};

/// Short enough for a test, and long enough for a slow machine to renew in time.
const TIMES: Leases =
    Leases { renew: Duration::from_millis(200), stale: Duration::from_secs(3), life: Duration::from_secs(5) };

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Told when a tool has begun.
#[derive(Clone, Default)]
struct Begun(Arc<Notify>);

/// Pays until it is cancelled.
#[tool(side_effect, idempotent = false, register = false)]
async fn pay(#[ctx] begun: &Begun, ctx: &ToolContext) -> Result<String, ToolError> {
    begun.0.notify_one();
    ctx.cancelled().await;
    Err(ToolError::cancelled("Not paid to the end.").detail("key", ctx.idempotency_key().len()))
}

/// Writes the same until it is let go.
#[tool(side_effect, idempotent, register = false)]
async fn store(#[ctx] begun: &Begun, #[ctx] go: &Go, ctx: &ToolContext) -> Result<bool, ToolError> {
    begun.0.notify_one();
    tokio::select! {
        () = ctx.cancelled() => Err(ToolError::cancelled("Not stored.")),
        () = go.0.notified() => Ok(true),
    }
}

/// Lets a tool end.
#[derive(Clone, Default)]
struct Go(Arc<Notify>);

async fn worker(config: &str) -> (Arc<PostgresJournal>, Executor) {
    let journal = PostgresJournal::open_with(config, TIMES, Meter::default()).await.unwrap();
    let journal = Arc::new(journal);
    let registry = Registry::builder().add::<PayTool>().add::<StoreTool>().build().unwrap();
    let recorder: Arc<PostgresJournal> = Arc::clone(&journal);
    let executor =
        Executor::standard(registry).journal(recorder, JournalMode::All, "worker 1").build().unwrap();
    (journal, executor)
}

fn task(run: &str) -> RowQuery {
    let task = Task { run_id: run.to_owned(), ..Task::default() };
    RowQuery { task: Some(task), ..RowQuery::default() }
}

/// The only row of a run, once it has this status.
async fn becomes(journal: &PostgresJournal, run: &str, status: Status) -> Row {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let row = journal.rows(&task(run)).await.unwrap().pop();
        if let Some(row) = row.clone().filter(|row| row.status == status) {
            return row;
        }
        let now = row.map(|row| row.status);
        assert!(Instant::now() < deadline, "{run} is {now:?} and not {status:?}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_without_its_database_cancels_what_must_not_be_done_twice_and_a_reaper_marks_it() {
    let Some(server) = Server::start() else { return };
    // A database of its own: one can be closed to all but those who are in another.
    server.run("public", "CREATE DATABASE leases");
    let config = format!("{} dbname=leases", server.config("public"));
    let (journal, executor) = worker(&config).await;
    let (begun, go) = (Begun::default(), Go::default());
    let ctx = ToolContext::builder().provide(begun.clone()).provide(go.clone()).build();
    let start = |tool: &'static str, run: &str| {
        let (executor, ctx) = (executor.clone(), ctx.for_run(Coordinates::new(run)));
        tokio::spawn(async move { executor.call(Call::new(tool, json!({})), &ctx, Caller::Test).await })
    };
    let (paying, storing) = (start("pay", "unsafe"), start("store", "idempotent"));
    begun.0.notified().await;
    becomes(&journal, "unsafe", Status::Running).await;
    becomes(&journal, "idempotent", Status::Running).await;
    // Renewed again and again, a call outlives its first lease.
    let first = journal.rows(&task("unsafe")).await.unwrap()[0].lease_until;
    let deadline = Instant::now() + PATIENCE;
    while journal.rows(&task("unsafe")).await.unwrap()[0].lease_until == first {
        assert!(Instant::now() < deadline, "the lease is not renewed");
        tokio::task::yield_now().await;
    }
    // The database is gone, for this worker: nobody can connect to it under its name.
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'leases'";
    server.run("public", "ALTER DATABASE leases WITH ALLOW_CONNECTIONS false");
    server.run("public", cut);
    let paid = tokio::time::timeout(PATIENCE, paying).await.unwrap().unwrap().unwrap_err();
    assert_eq!(
        (paid.code_str(), paid.details()["journal"].as_str()),
        ("cancelled", Some("in_doubt")),
        "{paid}"
    );
    assert!(!storing.is_finished(), "what may be done twice goes on");
    let refused = start("pay", "later").await.unwrap().unwrap_err();
    assert_eq!(refused.code_str(), "journal_unavailable", "{refused}");
    // Its calls are left as they were. Another worker, which is asked for nothing, marks them when their leases have ended.
    go.0.notify_one();
    let stored = tokio::time::timeout(PATIENCE, storing).await.unwrap().unwrap().unwrap();
    assert_eq!(stored.meta["journal"], "in_doubt");
    server.run("public", "ALTER DATABASE leases WITH ALLOW_CONNECTIONS true");
    drop((executor, journal));
    let (reaper, _) = worker(&config).await;
    for run in ["unsafe", "idempotent"] {
        let row = becomes(&reaper, run, Status::InDoubt).await;
        assert_eq!(row.effect, Some(tool_core::Effect::Unknown), "{run}");
    }
    let lost = AuditQuery { outcome: Some("in_doubt".to_owned()), ..AuditQuery::default() };
    assert_eq!(reaper.audited(&lost).await.unwrap().len(), 2, "each has its audit row");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reaper_takes_what_a_dead_worker_left_and_nothing_of_the_living() {
    let Some(server) = Server::start() else { return };
    server.create("reaped");
    let config = server.config("reaped");
    let (dead, dying) = worker(&config).await;
    let (living, executor) = worker(&config).await;
    let begun = Begun::default();
    let ctx = ToolContext::builder().provide(begun.clone()).provide(Go::default()).build();
    let start = |executor: &Executor, run: &str| {
        let (executor, ctx) = (executor.clone(), ctx.for_run(Coordinates::new(run)));
        tokio::spawn(async move { executor.call(Call::new("pay", json!({})), &ctx, Caller::Test).await })
    };
    let (one, other) = (start(&dying, "dead"), start(&executor, "alive"));
    becomes(&living, "dead", Status::Running).await;
    becomes(&living, "alive", Status::Running).await;
    // As if it had stopped renewing long ago: its lease is over before it renews again.
    let owner = dead.owner().to_owned();
    server.run(
        "reaped",
        &format!("UPDATE tool_calls SET lease_until = 1, owner = 'gone' WHERE owner = '{owner}'"),
    );
    let row = becomes(&living, "dead", Status::InDoubt).await;
    assert_eq!(row.owner.as_deref(), Some("gone"));
    assert_eq!(becomes(&living, "alive", Status::Running).await.owner.as_deref(), Some(living.owner()));
    // The late outcome of the call is that of its lease: it settles the doubt, or is fenced, and never is a second one.
    dying.shutdown(PATIENCE).await;
    assert!(one.await.unwrap().is_err());
    let rows = living.rows(&task("dead")).await.unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    executor.shutdown(PATIENCE).await;
    assert_eq!(other.await.unwrap().unwrap_err().code_str(), "cancelled");
    becomes(&living, "alive", Status::InDoubt).await;
}
