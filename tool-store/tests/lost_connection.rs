//! A database that goes away: readers come back, and a commit that nobody answered is looked up. (journal.md §11)

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

use serde_json::json;
use server::Server;
use tool_core::journal::{
    Begin, Begun, CallKey, Class, Journal as _, Outcome, Row, RowQuery, Status, VerifyOptions,
};
use tool_core::prelude::*;
use tool_core::{Call, Caller, Executor, JournalMode, Registry};
use tool_store::PostgresJournal;

/// Ends every other connection.
const CUT: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                   WHERE datname = current_database() AND pid <> pg_backend_pid()";

fn row(id: &str) -> Row {
    Row {
        run_id: "run".to_owned(),
        attempt: 1,
        tool_name: "charge".to_owned(),
        input_json: "{}".to_owned(),
        call_id: id.to_owned(),
        call_key: id.to_owned(),
        tool_key: id.to_owned(),
        caller: "test".to_owned(),
        class: Class::Manual,
        side_effect: Some(true),
        idempotent: Some(false),
        ..Row::default()
    }
}

async fn begun(journal: &PostgresJournal, id: &str) -> tool_core::journal::Lease {
    match journal.begin(Begin { row: row(id), ..Begin::default() }).await.unwrap() {
        Begun::Run(lease) => lease,
        other => panic!("{id} is new: {other:?}"),
    }
}

/// Signs in.
#[tool(register = false, side_effect, idempotent)]
fn sign_in(
    /// A password.
    #[arg(secret)]
    password: &str,
) -> usize {
    password.len()
}

/// Signs out.
#[tool(register = false, side_effect, idempotent)]
fn sign_out() {}

#[test]
fn a_journal_outlives_its_connections() {
    let Some(server) = Server::start() else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();

    server.create("cut");
    runtime.block_on(async {
        let journal = PostgresJournal::open(&server.config("cut")).await.unwrap();
        for nth in 0..4 {
            let id = format!("call-{nth}");
            let lease = begun(&journal, &id).await;
            server.run("cut", CUT);
            let key = CallKey { tool: "charge".to_owned(), key: id.clone(), ..CallKey::default() };
            assert_eq!(journal.peek(&key).await.unwrap().unwrap().call_id, id);
            journal.finish(lease, Outcome::ok("1")).await.unwrap();
            server.run("cut", CUT);
            assert_eq!(journal.rows(&RowQuery::default()).await.unwrap().len(), nth + 1);
        }
        let report = journal.verify(VerifyOptions { full: true, expect: None }).await.unwrap();
        assert!(report.verdict.is_ok(), "{}", report.verdict);
    });

    server.create("unanswered");
    runtime.block_on(async {
        let journal = PostgresJournal::open(&server.config("unanswered")).await.unwrap();
        fail::cfg("journal.commit.unanswered", "1*return").unwrap();
        let lease = begun(&journal, "a").await;
        fail::cfg("journal.commit.unanswered", "1*return").unwrap();
        let row = journal.finish(lease, Outcome::ok("1")).await.unwrap();
        fail::remove("journal.commit.unanswered");
        assert_eq!(row.status, Status::Ok);
        let rows = journal.rows(&RowQuery::default()).await.unwrap();
        assert_eq!(rows.iter().map(|row| row.status).collect::<Vec<_>>(), [Status::Ok], "each was done once");
        let report = journal.verify(VerifyOptions { full: true, expect: None }).await.unwrap();
        assert!(report.verdict.is_ok(), "{}", report.verdict);
    });

    server.create("many");
    runtime.block_on(async {
        let journal = PostgresJournal::open(&server.config("many")).await.unwrap();
        for nth in 0..230 {
            begun(&journal, &format!("call-{nth}")).await;
        }
        drop(journal);
        server.run("many", "UPDATE tool_calls SET lease_until = 0");
        let later = PostgresJournal::open(&server.config("many")).await.unwrap();
        let lost = RowQuery { status: Some(Status::InDoubt), ..RowQuery::default() };
        assert_eq!(later.rows(&lost).await.unwrap().len(), 230, "all are marked at once");
    });

    server.create("secret");
    runtime.block_on(async {
        let journal = Arc::new(PostgresJournal::open(&server.config("secret")).await.unwrap());
        assert!(!journal.has_pepper(), "the test runs without TOOLBOX_JOURNAL_KEY");
        let build = |registry: Registry| {
            Executor::standard(registry).journal(journal.clone(), JournalMode::All, "test 1").build()
        };
        let error = build(Registry::builder().add::<SignInTool>().build().unwrap()).err().unwrap();
        assert_eq!((error.kind().as_str(), error.code_str()), ("not_configured", "journal_key_missing"));
        let open = build(Registry::builder().add::<SignOutTool>().build().unwrap()).unwrap();
        let ctx = ToolContext::empty();
        open.call(Call::new("sign_out", json!({})), &ctx, Caller::Test).await.unwrap();
    });
}
