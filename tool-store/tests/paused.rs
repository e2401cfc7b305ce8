//! A worker that is stopped for longer than its lease: somebody else settles its call, and its late outcome is refused.
//! (journal.md §11, acceptance 7)

#![cfg(feature = "postgres")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may fail the test"
)]

mod server;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use server::Server;
use tool_core::journal::{Answer, Journal as _, Resolution, ResolvedBy, RowQuery, Status};
use tool_core::prelude::*;
use tool_core::{Call, Caller, Coordinates, Executor, JournalMode, Registry};
use tool_store::PostgresJournal;

/// In the worker: how to connect.
const CONFIG: &str = "TOOL_PAUSED_CONFIG";

/// Pays when somebody lets it.
#[tool(side_effect, idempotent = false, register = false)]
fn pay() -> Result<String, ToolError> {
    println!("\nrunning now");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    Ok("paid".to_owned())
}

/// The worker; nothing where the test did not start it.
#[test]
fn worker() {
    let Ok(config) = std::env::var(CONFIG) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let journal = Arc::new(PostgresJournal::open(&config).await.unwrap());
        let registry = Registry::builder().add::<PayTool>().build().unwrap();
        let executor =
            Executor::standard(registry).journal(journal, JournalMode::All, "worker 1").build().unwrap();
        let ctx = ToolContext::empty().for_run(Coordinates::new("run").node("pay"));
        match executor.call(Call::new("pay", json!({})), &ctx, Caller::Test).await {
            Ok(output) => println!("\nended ok {}", output.meta.get("journal").cloned().unwrap_or_default()),
            Err(error) => println!("\nended {}", error.code_str()),
        }
    });
}

#[test]
fn a_paused_worker_is_fenced() {
    let Some(server) = Server::start() else { return };
    server.create("paused");
    let config = server.config("paused");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "worker", "--nocapture"])
        .env(CONFIG, &config)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "running now"));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    // Two leases pass: nobody renews them meanwhile.
    server.run(
        "paused",
        "UPDATE tool_calls SET lease_until = lease_until - 60000 WHERE status IN ('intent', 'running')",
    );
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let rows = runtime.block_on(async {
        let other = PostgresJournal::open(&config).await.unwrap();
        let deadline = Instant::now() + tool_trials::patience();
        let lost = loop {
            other.mark_lost().await.unwrap();
            let rows = other.rows(&RowQuery::default()).await.unwrap();
            if rows[0].status == Status::InDoubt {
                break rows[0].clone();
            }
            assert!(Instant::now() < deadline, "{:?}", rows[0].status);
        };
        other
            .reconcile(
                lost.call_id,
                Answer::Done(json!({"structured": "found paid"}).to_string()),
                ResolvedBy::Person,
            )
            .await
            .unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
        let ended = lines.find(|line| line.starts_with("ended")).unwrap();
        println!("paused: the worker says: {ended}");
        assert_eq!(ended, "ended ok \"in_doubt\"", "it knows that its outcome was not recorded");
        child.wait().unwrap();
        other.rows(&RowQuery::default()).await.unwrap()
    });
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].status, rows[0].resolution), (Status::Reconciled, Some(Resolution::Ok)));
    assert!(rows[0].output_json.as_deref().unwrap().contains("found paid"), "the late outcome is not stored");
}
