//! What a call leaves behind: its audit row and its journal row, and whether they tell the truth and no content.
#![allow(dead_code, clippy::unwrap_used, clippy::indexing_slicing)]

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tool_core::journal::{Journal, MemoryJournal, Row, RowQuery, Status};
use tool_core::{AuditSettings, AuditSink, Executor, JournalMode, JsonLines, Registry};

/// A journal and an audit file of a few calls.
pub(crate) struct Records {
    journal: MemoryJournal,
    audit: PathBuf,
    _directory: tool_trials::Directory,
}

/// What there is of them.
pub(crate) struct Left {
    pub(crate) rows: Vec<Row>,
    pub(crate) audit: Vec<Value>,
}

impl Records {
    pub(crate) fn new() -> Self {
        let directory = tool_trials::directory();
        Self {
            journal: MemoryJournal::new(),
            audit: directory.path().join("audit.jsonl"),
            _directory: directory,
        }
    }

    /// An executor whose calls are recorded here.
    pub(crate) fn executor(&self, registry: Registry) -> Executor {
        let sinks: Vec<Box<dyn AuditSink>> = vec![Box::new(JsonLines::new(&self.audit))];
        Executor::standard(registry)
            .journal(Arc::new(self.journal.another()), JournalMode::All, "test 1")
            .audit(AuditSettings { sinks, ..Default::default() })
            .build()
            .unwrap()
    }

    pub(crate) async fn left(&self) -> Left {
        let rows = self.journal.rows(&RowQuery::default()).await.unwrap();
        let text = std::fs::read_to_string(&self.audit).unwrap_or_default();
        let audit = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Left { rows, audit }
    }

    /// The same for who is not in a runtime.
    pub(crate) fn left_blocking(&self) -> Left {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(self.left())
    }
}

impl Left {
    /// Everything that is written, as text.
    pub(crate) fn text(&self) -> String {
        format!("{:?} {}", self.rows, self.audit.iter().map(Value::to_string).collect::<String>())
    }

    /// What is wrong with the records of one call that came to this, its error in its JSON form.
    pub(crate) fn wrong(&self, outcome: Result<(), &Value>) -> Vec<String> {
        let mut wrong = Vec::new();
        let (kind, code) = match outcome {
            Ok(()) => ("ok", Value::Null),
            Err(error) => (error["kind"].as_str().unwrap(), error["code"].clone()),
        };
        match self.audit.as_slice() {
            [row] if row["outcome"] != kind || row["code"] != code => {
                wrong.push(format!(
                    "the audit row says {} {}, not {kind} {code}",
                    row["outcome"], row["code"]
                ));
            }
            [_] => {}
            rows => wrong.push(format!("{} audit rows of one call", rows.len())),
        }
        // What is refused before its intent has no row (journal.md §2).
        match self.rows.as_slice() {
            [] if outcome.is_ok() => wrong.push("a call without a row in the journal".to_owned()),
            [] => {}
            [row] => {
                let told: Value = serde_json::from_str(row.error_json.as_deref().unwrap_or("null")).unwrap();
                let is_same = match outcome {
                    Ok(()) => told.is_null() && row.status == Status::Ok,
                    Err(_) => told["kind"] == kind && told["code"] == code,
                };
                if !is_same {
                    wrong.push(format!("the journal says {:?} {told}, not {kind} {code}", row.status));
                }
            }
            rows => wrong.push(format!("{} rows of one call in the journal", rows.len())),
        }
        wrong
    }
}
