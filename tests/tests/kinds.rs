//! Each kind of error through the whole chain: exit status, JSON, audit row, journal and span say the same. (calls.md §1,
//! acceptance 4)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at what it cannot build")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tests::captured;
use tests::spans::Spans;
use tool_cli::Cli;
use tool_core::journal::{Journal as _, MemoryJournal, Row, RowQuery, Status};
use tool_core::prelude::*;
use tool_core::{
    AuditRow, AuditSettings, AuditSink, CheckMode, Effect, ErrorKind, JournalMode, LimitSettings,
    ReadResultTool, Registry, ShapeSettings,
};

/// Ends as it is told to, in any number of tries.
fn ended(how: &str) -> Result<String, ToolError> {
    match how {
        "ok" => Ok("fine".to_owned()),
        how => {
            let kind = ErrorKind::all().find(|kind| kind.as_str() == how).unwrap();
            Err(ToolError::new(kind, "It did not work.").retry_after(Duration::from_millis(1)))
        }
    }
}

/// May be made again.
#[tool(side_effect, idempotent, register = false)]
fn again(
    /// How it ends.
    how: &str,
) -> Result<String, ToolError> {
    ended(how)
}

/// Must not be made twice.
#[tool(side_effect, idempotent = false, register = false)]
fn once(
    /// How it ends.
    how: &str,
) -> Result<String, ToolError> {
    ended(how)
}

#[derive(Clone, Default)]
struct Rows(Arc<Mutex<Vec<AuditRow>>>);

impl AuditSink for Rows {
    fn write(&self, row: &AuditRow) -> Result<(), ToolError> {
        self.0.lock().unwrap().push(row.clone());
        Ok(())
    }
}

/// The table of calls.md §1: kind, exit status, whether it is tried again where that is safe, what a call is recorded as that
/// may be made again, and one that may not.
type Recorded = (Status, Effect);
const NONE: Recorded = (Status::Error, Effect::None);
const UNKNOWN: Recorded = (Status::Error, Effect::Unknown);
const DOUBT: Recorded = (Status::InDoubt, Effect::Unknown);
const KINDS: [(&str, u8, bool, Recorded, Recorded); 11] = [
    ("invalid_args", 2, false, NONE, NONE),
    ("not_found", 3, false, NONE, NONE),
    ("conflict", 4, false, NONE, NONE),
    ("denied", 5, false, NONE, NONE),
    ("not_configured", 6, false, NONE, NONE),
    ("unavailable", 7, true, UNKNOWN, DOUBT),
    ("rate_limited", 75, true, NONE, NONE),
    ("timeout", 124, false, UNKNOWN, DOUBT),
    ("cancelled", 130, false, (Status::Cancelled, Effect::Unknown), DOUBT),
    ("failed", 1, false, (Status::Error, Effect::Done), (Status::Error, Effect::Done)),
    ("internal", 70, false, UNKNOWN, DOUBT),
];

struct Scene {
    cli: Cli,
    journal: MemoryJournal,
    audit: Rows,
    spans: Spans,
    folder: tool_trials::Directory,
}

impl Scene {
    fn new() -> Scene {
        let (journal, audit) = (MemoryJournal::new(), Rows::default());
        let registry =
            Registry::builder().add::<AgainTool>().add::<OnceTool>().add::<ReadResultTool>().build();
        let (recorder, rows) = (journal.another(), audit.clone());
        let layers = move |builder: tool_core::ExecutorBuilder, _: &tool_cli::Settings| {
            let sinks: Vec<Box<dyn AuditSink>> = vec![Box::new(rows.clone())];
            Ok(builder
                .limit(LimitSettings::default())
                .journal(Arc::new(recorder.another()), JournalMode::All, "test 1")
                .shape(ShapeSettings::default())
                .check(CheckMode::Error)
                .retries(2)
                .trace()
                .audit(AuditSettings { sinks, ..AuditSettings::default() }))
        };
        let cli = Cli::new(registry.unwrap()).name("kinds").layers(layers);
        Scene { cli, journal, audit, spans: Spans::default(), folder: tool_trials::directory() }
    }

    /// Makes a call: its exit status, its JSON, and its row of the audit, of the journal and of its span.
    fn call(&self, words: &[&str]) -> (u8, Value, AuditRow, Option<Row>, Option<String>) {
        let _listening = tool_trials::listening(self.spans.clone());
        let (status, out, err) =
            captured::run(&self.cli, self.folder.path(), &[words, &["--envelope"]].concat());
        let told = serde_json::from_str(&out).or_else(|_| serde_json::from_str(&err)).unwrap();
        let mut audited = std::mem::take(&mut *self.audit.0.lock().unwrap());
        assert_eq!(audited.len(), 1, "{words:?}");
        let row = audited.remove(0);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let query = RowQuery { call_id: Some(row.call_id.clone()), ..RowQuery::default() };
        let recorded = runtime.block_on(self.journal.rows(&query)).unwrap().pop();
        let mut spans = self.spans.take();
        spans.retain(|span| span.0 == "execute_tool");
        assert_eq!(spans.len(), 1, "{words:?}");
        (status, told, row, recorded, spans.remove(0).1.get("error.type").cloned())
    }
}

#[test]
fn each_kind_is_told_alike_by_status_json_audit_journal_and_span() {
    let scene = Scene::new();
    for (kind, exit, tried_again, idempotent, not) in KINDS {
        for (tool, wanted) in [("again", idempotent), ("once", not)] {
            let (status, told, audited, recorded, error_type) = scene.call(&[tool, "--how", kind]);
            let recorded = recorded.unwrap_or_else(|| unreachable!("{tool} {kind} has no row"));
            assert_eq!(status, exit, "{tool} {kind}");
            assert_eq!((&told["ok"], &told["error"]["kind"]), (&json!(false), &json!(kind)), "{told}");
            assert_eq!(told["error"]["code"], kind, "{told}");
            assert_eq!((audited.outcome, audited.code.as_deref()), (kind, Some(kind)));
            assert_eq!((recorded.status, recorded.effect.unwrap()), wanted, "{tool} {kind}");
            assert_eq!(error_type.as_deref(), Some(kind));
            let tries = if tried_again && tool == "again" { 3 } else { 1 };
            assert_eq!(audited.tries, tries, "{tool} {kind}");
            let doubt = wanted.0 == Status::InDoubt;
            assert_eq!(told["error"]["details"]["journal"] == "in_doubt", doubt, "{told}");
        }
    }
    for tool in ["again", "once"] {
        let (status, told, audited, recorded, error_type) = scene.call(&[tool, "--how", "ok"]);
        assert_eq!((status, &told["data"], audited.outcome), (0, &json!("fine"), "ok"));
        assert_eq!((recorded.unwrap().status, error_type), (Status::Ok, None));
    }
}

#[test]
fn what_is_refused_before_it_runs_is_told_by_all_but_the_journal() {
    let scene = Scene::new();
    let (status, told, audited, recorded, error_type) = scene.call(&["again", "--hw", "x"]);
    assert_eq!((status, told["error"]["kind"].as_str()), (2, Some("invalid_args")));
    assert_eq!((audited.outcome, error_type.as_deref()), ("invalid_args", Some("invalid_args")));
    assert!(recorded.is_none());
}
