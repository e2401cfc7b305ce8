//! What the row of a call holds, and what the audit row that is made of it tells: each field, of calls where it is another than
//! where nothing is said.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tool_core::journal::{Class, Journal, KeyForm, MemoryJournal, RecordedCall, Row, RowQuery};
use tool_core::prelude::*;
use tool_core::undo::undo;
use tool_core::{AuditRow, Call, Caller, Coordinates, Executor, JournalMode, Registry};

use crate::scene::{self, Rows};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

/// Deletes through another tool.
#[tool(side_effect, idempotent, destructive, register = false)]
async fn clear(
    /// What.
    what: &str,
    ctx: &ToolContext,
) -> ToolResult {
    assert!(!ctx.idempotency_key().is_empty());
    ctx.call("put", json!({"what": what, "password": "hidden-word"})).await
}

/// Puts what can be taken away.
#[tool(side_effect, idempotent = false, revert = take, register = false)]
fn put(
    /// What.
    what: &str,
    /// What nobody may read.
    #[arg(secret)]
    password: &str,
) -> Result<String, ToolError> {
    Ok(format!("{what} {}", password.len()))
}

async fn take(call: &RecordedCall, _: &ToolContext) -> Result<(), ToolError> {
    tokio::time::sleep(Duration::from_millis(20)).await;
    match call.input["what"].as_str() {
        Some("stuck") => Err(ToolError::conflict("It is stuck.").code("stuck")),
        _ => Ok(()),
    }
}

/// Reads.
#[tool(register = false)]
fn peek() -> u64 {
    1
}

struct Scene {
    journal: Arc<MemoryJournal>,
    executor: Executor,
    audited: Rows,
}

impl Scene {
    fn new() -> Scene {
        let journal = Arc::new(MemoryJournal::new());
        let registry = Registry::builder().add::<ClearTool>().add::<PutTool>().add::<PeekTool>();
        let audited = Rows::default();
        let executor = Executor::standard(registry.build().unwrap())
            .journal(journal.clone(), JournalMode::All, "shop 1.2")
            .audit(scene::audited(&audited))
            .build()
            .unwrap();
        Scene { journal, executor, audited }
    }

    fn ctx() -> ToolContext {
        let at = Coordinates::new("run-7").tenant("acme").node("pay").iteration(3).attempt(2);
        ToolContext::builder()
            .agent("bot")
            .client("editor 9")
            .traceparent(&format!("00-{TRACE}-b7ad6b7169203331-01"))
            .at(at)
            .build()
    }

    /// The rows after one call that makes another: its own, and that of the other.
    async fn rows(&self) -> (Row, Row) {
        let call = Call::new("clear", json!({"what": "shelf"}));
        self.executor.call(call, &Scene::ctx(), Caller::Mcp).await.unwrap();
        (self.row("clear").await, self.row("put").await)
    }

    async fn row(&self, tool: &str) -> Row {
        let query = RowQuery { tool: Some(tool.to_owned()), ..RowQuery::default() };
        self.journal.rows(&query).await.unwrap().pop().unwrap()
    }
}

#[tokio::test]
async fn a_row_says_whose_call_it_was_and_where() {
    let (row, other) = Scene::new().rows().await;
    assert_eq!(
        (row.tenant.as_str(), row.agent.as_deref(), row.caller.as_str()),
        ("acme", Some("bot"), "mcp")
    );
    assert_eq!(row.program, "shop 1.2 for editor 9");
    let at = |row: &Row| (row.run_id.clone(), row.node_id.clone(), row.iteration, row.attempt);
    assert_eq!(at(&row), ("run-7".to_owned(), "pay".to_owned(), 3, 2));
    assert_eq!((row.trace_id.as_deref(), row.parent_call_id.as_deref()), (Some(TRACE), None));
    assert_eq!(at(&other), at(&row));
    assert_eq!(other.caller, "tool");
    assert_eq!((other.parent_call_id.as_deref(), other.agent.as_deref()), (Some(&*row.call_id), Some("bot")));
    let at = Coordinates::of(&row);
    assert_eq!(at, Coordinates::new("run-7").tenant("acme").node("pay").iteration(3).attempt(2));
    assert!(Coordinates::of(&Row { key_form: KeyForm::Legacy, ..row }).legacy_keys);

    let alone = Scene::new();
    alone.executor.call(Call::new("peek", json!({})), &ToolContext::empty(), Caller::Test).await.unwrap();
    let row = alone.row("peek").await;
    assert_eq!((row.run_id, row.program.as_str()), (format!("call:{}", row.call_id), "shop 1.2"));
}

#[tokio::test]
async fn a_row_says_what_the_call_may_do_and_by_which_keys_it_is_known() {
    let scene = Scene::new();
    let (row, other) = scene.rows().await;
    scene.executor.call(Call::new("peek", json!({})), &Scene::ctx(), Caller::Test).await.unwrap();
    let read = scene.row("peek").await;
    let effects =
        |row: &Row| (row.side_effect, row.idempotent, row.destructive, row.takes_key, row.has_revert);
    assert_eq!(effects(&row), (Some(true), Some(true), true, true, false));
    assert_eq!(effects(&other), (Some(true), Some(false), false, false, true));
    assert_eq!(effects(&read), (Some(false), Some(true), false, false, false));
    assert_eq!([row.class, other.class, read.class], [Class::Idempotent, Class::Manual, Class::Pure]);
    let definition = |row: &Row| row.definition.as_deref().map(|text| text.starts_with("sha256:"));
    assert_eq!([&row, &other, &read].map(definition), [Some(true), Some(true), None]);
    assert!(row.tool_key.starts_with("tk1_"), "{}", row.tool_key);
    assert_eq!((row.key_form, row.ordinal, row.input_complete), (KeyForm::default(), 0, true));
    assert_eq!(other.input_json, r#"{"what":"shelf","password":{"$redacted":"secret"}}"#);
    assert!(!other.input_complete);
    // The same once more in one task is another call.
    scene
        .executor
        .call(Call::new("clear", json!({"what": "shelf"})), &Scene::ctx(), Caller::Mcp)
        .await
        .unwrap();
    let again = scene.row("clear").await;
    assert_eq!((again.ordinal, again.args_sha256 == row.args_sha256), (1, true));
    assert_ne!(again.call_key, row.call_key);
}

/// Opens, with a word or without.
#[tool(side_effect, idempotent, register = false)]
fn unlock(
    /// By which word, if any.
    #[arg(secret)]
    word: Option<String>,
) -> bool {
    word.is_some()
}

#[tokio::test]
async fn a_row_hides_the_secret_that_was_given_and_none_where_none_was() {
    for (args, kept, complete, form) in [
        (json!({"word": "correct horse"}), json!({"word": {"$redacted": "secret"}}), false, KeyForm::Call),
        (json!({}), json!({}), true, KeyForm::Explicit),
    ] {
        let journal = Arc::new(MemoryJournal::new());
        let registry = Registry::builder().add::<UnlockTool>().build().unwrap();
        let executor = Executor::standard(registry).journal(journal.clone(), JournalMode::All, "shop 1.2");
        let key = (form == KeyForm::Explicit).then(|| "k".to_owned());
        let call = Call { idempotency_key: key, ..Call::new("unlock", args) };
        executor.build().unwrap().call(call, &Scene::ctx(), Caller::Mcp).await.unwrap();
        let row = journal.rows(&RowQuery::default()).await.unwrap().pop().unwrap();
        let input: serde_json::Value = serde_json::from_str(&row.input_json).unwrap();
        assert_eq!((input, row.input_complete, row.key_form), (kept, complete, form));
    }
}

/// Says whether there is, or will be, a row of it.
#[tool(register = false)]
fn am_i_recorded(ctx: &ToolContext) -> bool {
    ctx.running().is_some_and(|call| call.is_recorded())
}

#[tokio::test]
async fn a_call_knows_whether_there_is_a_row_of_it() {
    let registry = || Registry::builder().add::<AmIRecordedTool>().build().unwrap();
    let journal =
        |mode| Executor::standard(registry()).journal(Arc::new(MemoryJournal::new()), mode, "shop 1.2");
    for (builder, recorded) in [
        (journal(JournalMode::All), true),
        (journal(JournalMode::Effects), false),
        (Executor::standard(registry()), false),
    ] {
        let call = Call::new("am_i_recorded", json!({}));
        let result = builder.build().unwrap().call(call, &Scene::ctx(), Caller::Mcp).await;
        assert_eq!(result.unwrap().data(), json!(recorded));
    }
}

#[tokio::test]
async fn where_only_effects_are_recorded_a_read_leaves_no_row() {
    for (mode, tools) in [(JournalMode::Effects, vec!["put"]), (JournalMode::All, vec!["peek", "put"])] {
        let journal = Arc::new(MemoryJournal::new());
        let registry = Registry::builder().add::<PutTool>().add::<PeekTool>().build().unwrap();
        let executor =
            Executor::standard(registry).journal(journal.clone(), mode, "shop 1.2").build().unwrap();
        for (tool, args) in [("peek", json!({})), ("put", json!({"what": "x", "password": "hidden-word"}))] {
            executor.call(Call::new(tool, args), &Scene::ctx(), Caller::Mcp).await.unwrap();
        }
        let rows = journal.rows(&RowQuery::default()).await.unwrap();
        let mut recorded: Vec<&str> = rows.iter().map(|row| row.tool_name.as_str()).collect();
        recorded.sort_unstable();
        assert_eq!(recorded, tools, "{mode:?}");
    }
}

#[tokio::test]
async fn the_audit_row_of_a_call_says_where_in_a_run_it_was() {
    let scene = Scene::new();
    scene.executor.call(Call::new("peek", json!({})), &Scene::ctx(), Caller::Mcp).await.unwrap();
    let row = scene.audited.take().pop().unwrap();
    let at = (row.tenant.as_str(), row.run_id.as_str(), row.node_id.as_str(), row.iteration, row.attempt);
    assert_eq!(at, ("acme", "run-7", "pay", 3, 2));
    assert_eq!((Scene::ctx().node_id(), Scene::ctx().iteration(), Scene::ctx().attempt()), ("pay", 3, 2));
    let nowhere = ToolContext::empty();
    assert_eq!((nowhere.node_id(), nowhere.iteration(), nowhere.attempt()), ("", 0, 1));
}

#[tokio::test]
async fn the_audit_row_of_a_lost_call_tells_what_its_row_has() {
    let (_, row) = Scene::new().rows().await;
    let row = Row {
        seq: 5,
        tries: 2,
        approval_id: Some("ap_1".to_owned()),
        approved_by: Some("person".to_owned()),
        policy_sha256: Some("abc".to_owned()),
        ..row
    };
    let told = AuditRow::of_lost(&row);
    assert_eq!((told.outcome, told.code.as_deref(), told.duration_ms), ("in_doubt", None, 0));
    assert_eq!((&told.call_id, &told.parent_call_id), (&row.call_id, &row.parent_call_id));
    assert!(told.parent_call_id.is_some());
    assert_eq!(told.at_ms, u64::try_from(row.started_at_ms).unwrap());
    assert_eq!(
        (told.tenant.as_str(), told.agent.as_str(), told.caller, told.surface),
        ("acme", "bot", "tool", None)
    );
    let place = (told.run_id.as_str(), told.node_id.as_str(), told.iteration, told.attempt, told.seq);
    assert_eq!(place, ("run-7", "pay", 3, 2, Some(5)));
    assert_eq!(
        (told.tool.as_str(), &told.definition, &told.args_sha256),
        ("put", &row.definition, &row.args_sha256)
    );
    assert_eq!(told.effects.as_deref(), Some("side effect"));
    assert_eq!(told.args, json!({"password": {"$redacted": "secret"}, "what": "shelf"}));
    assert_eq!((told.tries, told.rounds), (2, 1));
    assert_eq!(
        told.decision,
        json!({"policy_sha256": "abc", "approval_id": "ap_1", "approved_by": "person"})
    );
    assert_eq!(told.key_sha256.map(|digest| digest.len()), Some(64));
    assert_eq!(told.trace_id.as_deref(), Some(TRACE));
    let by_a_model = AuditRow::of_lost(&Row { caller: "mcp".to_owned(), tries: 0, ..row });
    assert_eq!((by_a_model.caller, by_a_model.surface, by_a_model.tries), ("mcp", Some("mcp"), 1));
}

#[tokio::test]
async fn the_audit_row_of_an_undoing_says_how_it_ended() {
    let scene = Scene::new();
    for (what, outcome, code) in [("stuck", "conflict", Some("stuck")), ("loose", "ok", None)] {
        let args = json!({"what": what, "password": "hidden-word"});
        scene.executor.call(Call::new("put", args), &ToolContext::empty(), Caller::Test).await.unwrap();
        let row = scene.row("put").await;
        let before = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let _ = undo(&scene.executor, &*scene.journal, &ToolContext::empty(), &row, Caller::Cli, "shop 1.2")
            .await;
        let told = scene.audited.take().pop().unwrap();
        assert_eq!((told.outcome, told.code.as_deref()), (outcome, code));
        assert!((20..60_000).contains(&told.duration_ms), "{}", told.duration_ms);
        assert_eq!((told.caller, told.parent_call_id.as_deref()), ("cli", Some(&*row.call_id)));
        let at = Duration::from_millis(told.at_ms);
        assert!(
            at + Duration::from_secs(60) > before && at < before + Duration::from_secs(60),
            "{at:?} {before:?}"
        );
    }
}
