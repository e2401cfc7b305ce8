//! Audit rows in the journal's file: one per call whatever becomes of it, and with the outcome or not at all. (calls.md §12)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::journal::Journal as _;
use tool_core::prelude::*;
use tool_core::{
    ApprovalLevel, AuditQuery, AuditRow, AuditSettings, AuditSink, Call, Caller, Executor, JournalAudit,
    JournalMode, Registry,
};
use tool_store::{LazyJournal, SqliteOptions};

/// Looks.
#[tool(register = false)]
fn look() -> bool {
    true
}

/// Charges.
#[tool(side_effect, idempotent = false, register = false)]
fn charge(
    /// How much.
    amount: u64,
    /// The card.
    #[arg(secret)]
    card: Option<String>,
) -> Result<u64, ToolError> {
    drop(card);
    if amount > 100 { Err(ToolError::failed("Too much.").code("too_much")) } else { Ok(amount) }
}

/// Deletes.
#[tool(destructive, idempotent, register = false)]
fn remove() {}

/// Charges for somebody.
#[tool(side_effect, idempotent = false, register = false)]
async fn order(ctx: &ToolContext) -> Result<Value, ToolError> {
    let charged = ctx.call("charge", json!({"amount": 1})).await?;
    Ok(charged.data())
}

struct Shop {
    folder: tool_trials::Directory,
    journal: Arc<LazyJournal>,
    executor: Executor,
}

impl Shop {
    fn new(required: bool) -> Shop {
        let folder = tool_trials::directory();
        let journal = Arc::new(LazyJournal::new(folder.path().join("journal.db"), SqliteOptions::default()));
        let sink = JournalAudit::new(journal.clone());
        let registry =
            Registry::builder().add::<LookTool>().add::<ChargeTool>().add::<RemoveTool>().add::<OrderTool>();
        let executor = Executor::standard(registry.build().unwrap())
            .approve(ApprovalLevel::Destructive)
            .audit(AuditSettings { sinks: vec![Box::new(sink)], required, ..AuditSettings::default() })
            .journal(journal.clone(), JournalMode::All, "shop 1")
            .build()
            .unwrap();
        Shop { folder, journal, executor }
    }

    async fn call(&self, tool: &str, args: Value) -> ToolResult {
        let call = Call { call_id: None, ..Call::new(tool, args) };
        self.executor.call(call, &ToolContext::empty(), Caller::Test).await
    }

    async fn rows(&self) -> Vec<Value> {
        // What is queued is written by then.
        self.journal.mark_lost().await.unwrap();
        let mut rows = self.journal.audited(&AuditQuery::default()).await.unwrap();
        rows.reverse();
        rows
    }

    /// Lets the store refuse every audit row, or keep them again.
    fn spoil(&self, spoilt: bool) {
        let db = rusqlite::Connection::open(self.folder.path().join("journal.db")).unwrap();
        let sql = match spoilt {
            true => "CREATE TRIGGER spoilt BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'spoilt'); END",
            false => "DROP TRIGGER spoilt",
        };
        db.execute_batch(sql).unwrap();
    }
}

fn of<'r>(row: &'r Value, member: &str) -> &'r str {
    row[member].as_str().unwrap()
}

#[tokio::test]
async fn every_call_has_one_row_whatever_becomes_of_it() {
    let shop = Shop::new(false);
    shop.call("charge", json!({"amount": 5, "card": "canary-4111"})).await.unwrap();
    shop.call("charge", json!({"amount": 500})).await.unwrap_err();
    shop.call("charge", json!({"amount": "x"})).await.unwrap_err();
    shop.call("remove", json!({})).await.unwrap_err();
    shop.call("look", json!({})).await.unwrap();
    shop.call("lok", json!({})).await.unwrap_err();
    let rows = shop.rows().await;
    let told: Vec<[&str; 2]> = rows.iter().map(|row| ["tool", "outcome"].map(|name| of(row, name))).collect();
    let wanted = [
        ["charge", "ok"],
        ["charge", "failed"],
        ["charge", "invalid_args"],
        ["remove", "denied"],
        ["look", "ok"],
        ["lok", "not_found"],
    ];
    assert_eq!(told, wanted);
    assert_eq!((of(&rows[1], "code"), of(&rows[3], "layer")), ("too_much", "approve"));
    assert_eq!(rows[0]["args"], json!({"amount": 5, "card": {"$redacted": "secret"}}));
    assert_eq!(
        (&rows[0]["seq"], &rows[0]["replayed"], &rows[0]["rounds"]),
        (&json!(1), &json!(false), &json!(1))
    );
    let journaled = shop.journal.rows(&Default::default()).await.unwrap();
    assert!(journaled.iter().any(|row| row.call_id == of(&rows[0], "call_id")));
}

#[tokio::test]
async fn a_call_of_a_call_names_the_one_that_made_it() {
    let shop = Shop::new(false);
    shop.call("order", json!({})).await.unwrap();
    let rows = shop.rows().await;
    let of_tool = |tool: &str| rows.iter().find(|row| row["tool"] == tool).unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(of_tool("charge")["parent_call_id"], of_tool("order")["call_id"]);
    assert_eq!(of_tool("order")["parent_call_id"], Value::Null);
}

#[tokio::test]
async fn an_outcome_is_not_recorded_without_its_row() {
    let shop = Shop::new(false);
    shop.call("charge", json!({"amount": 1})).await.unwrap();
    shop.spoil(true);
    // The result is delivered all the same, and says that its outcome is not known to the journal.
    let output = shop.call("charge", json!({"amount": 2})).await.unwrap();
    assert_eq!(output.meta["journal"], "in_doubt");
    // The row that is queued then is lost by the time that something else can be written.
    let deadline = std::time::Instant::now() + tool_trials::patience();
    while shop.journal.mark_lost().await.is_err() {
        assert!(std::time::Instant::now() < deadline, "nothing can be written");
    }
    shop.spoil(false);
    let rows = shop.journal.rows(&Default::default()).await.unwrap();
    assert_eq!((rows.len(), rows.iter().filter(|row| row.output_json.is_some()).count()), (2, 1));
    shop.call("charge", json!({"amount": 3})).await.unwrap();
    assert_eq!(shop.rows().await.len(), 2);
}

#[tokio::test]
async fn side_effects_are_refused_while_rows_are_lost_where_they_must_not_be() {
    let shop = Shop::new(true);
    shop.call("look", json!({})).await.unwrap();
    shop.rows().await;
    shop.spoil(true);
    // Nobody waits for a row: that one was lost is told with a later one.
    let refused = async || {
        let result = shop.call("charge", json!({"amount": 1})).await;
        result.is_err_and(|error| error.code_str() == "audit_unavailable")
    };
    let deadline = std::time::Instant::now() + tool_trials::patience();
    while !refused().await {
        assert!(std::time::Instant::now() < deadline, "no side effect was refused");
        shop.call("look", json!({})).await.unwrap();
    }
    shop.spoil(false);
    while refused().await {
        assert!(std::time::Instant::now() < deadline, "side effects stay refused");
        shop.call("look", json!({})).await.unwrap();
    }
}

#[tokio::test]
async fn a_row_that_cannot_be_written_takes_no_other_call_with_it() {
    let shop = Shop::new(false);
    shop.call("look", json!({})).await.unwrap();
    shop.rows().await;
    shop.spoil(true);
    for nth in 0..40 {
        // The row of the look and the intent of the charge may be in one transaction.
        shop.call("look", json!({})).await.unwrap();
        let charged = shop.call("charge", json!({"amount": nth})).await;
        assert!(charged.is_ok(), "{charged:?}");
    }
}

/// Takes rows, and keeps them elsewhere.
struct Elsewhere;

impl AuditSink for Elsewhere {
    fn write(&self, _: &AuditRow) -> Result<(), ToolError> {
        Ok(())
    }
}

#[tokio::test]
async fn a_journal_keeps_no_audit_rows_that_go_elsewhere() {
    let shop = Shop::new(false);
    let journal = shop.journal.clone();
    let registry = Registry::builder().add::<ChargeTool>().build().unwrap();
    let settings = AuditSettings { sinks: vec![Box::new(Elsewhere)], ..AuditSettings::default() };
    let executor = Executor::standard(registry).audit(settings).journal(journal, JournalMode::All, "shop 1");
    let elsewhere = Shop { executor: executor.build().unwrap(), ..shop };
    elsewhere.call("charge", json!({"amount": 5})).await.unwrap();
    assert_eq!(elsewhere.rows().await, [] as [Value; 0]);
    let here = Shop::new(false);
    here.call("charge", json!({"amount": 5})).await.unwrap();
    assert_eq!(here.rows().await.len(), 1);
}
