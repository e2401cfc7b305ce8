//! A journal that is opened when the first call needs it: a command line that calls no tool pays nothing for it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tool_core::journal::key::Pepper;
use tool_core::journal::replay_gate::ReplayConsent;
use tool_core::journal::{
    Answer, Begin, Begun, CallKey, Journal, JournalError, Lease, Outcome, ResolvedBy, Result, RevertStatus,
    Row, RowQuery, Task, VerifyOptions, VerifyReport,
};
use tool_core::{AuditQuery, AuditRow, BoxFuture};

use crate::{SqliteJournal, SqliteOptions};

/// How long after a refusal it is tried again to open the file.
const AGAIN: Duration = Duration::from_secs(1);

/// A journal in a file, opened on first use.
#[derive(Debug)]
pub struct LazyJournal {
    path: PathBuf,
    options: SqliteOptions,
    outside: Mutex<Vec<PathBuf>>,
    opened: OnceLock<Arc<SqliteJournal>>,
    /// When and why it could not be opened; whoever opens it holds this.
    refused: Mutex<Option<(Instant, JournalError)>>,
    /// Whether it was told that reads are not recorded.
    told: AtomicBool,
}

impl LazyJournal {
    /// A journal that will be at a path.
    pub fn new(path: impl Into<PathBuf>, options: SqliteOptions) -> LazyJournal {
        LazyJournal {
            path: path.into(),
            options,
            outside: Mutex::default(),
            opened: OnceLock::new(),
            refused: Mutex::default(),
            told: AtomicBool::new(false),
        }
    }

    /// Refuses to be opened inside of a workspace, where tools could change it.
    pub fn outside_of(&self, workspace: &Path) {
        // One that is open already lies where it lies.
        if self.opened.get().is_none() {
            self.outside.lock().unwrap_or_else(PoisonError::into_inner).push(workspace.to_owned());
        }
    }

    /// Where it is or will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is something in its place. A seal without its journal tells of one.
    pub fn exists(&self) -> bool {
        self.path.exists() || self.path.with_extension("seal").exists()
    }

    /// Whether it could be opened where there is nothing yet. Nothing is made.
    ///
    /// # Errors
    /// Those of [`SqliteJournal::could_open`].
    pub fn could_open(&self) -> Result<()> {
        let mut options = self.options.clone();
        options
            .workspaces
            .extend(self.outside.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        SqliteJournal::could_open(&self.path, &options)
    }

    /// Writes what is queued, where it was opened, and takes no more: the last that a program does with a journal that is never
    /// dropped. Reads are recorded without being waited for.
    pub fn close(&self) {
        if let Some(journal) = self.opened.get() {
            journal.close();
        }
    }

    /// The journal itself.
    ///
    /// # Errors
    /// Those of [`SqliteJournal::open`]; the same one for a while, so that one call does not wait for each of its steps.
    pub fn open(&self) -> Result<&Arc<SqliteJournal>> {
        if let Some(journal) = self.opened.get() {
            return Ok(journal);
        }
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, error)) = refused.as_ref().filter(|(when, _)| when.elapsed() < AGAIN) {
            return Err(error.clone());
        }
        if let Some(journal) = self.opened.get() {
            return Ok(journal);
        }
        let mut options = self.options.clone();
        options.workspaces.extend_from_slice(&self.outside.lock().unwrap_or_else(PoisonError::into_inner));
        match SqliteJournal::open(&self.path, options) {
            Ok(journal) => Ok(self.opened.get_or_init(|| Arc::new(journal))),
            Err(error) => {
                *refused = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }
}

fn failed<'a, T: Send + 'a>(error: JournalError) -> BoxFuture<'a, Result<T>> {
    Box::pin(std::future::ready(Err(error)))
}

macro_rules! delegate {
    ($($(<$life:lifetime>)? $name:ident($($arg:ident: $ty:ty),*) -> $out:lifetime $answer:ty;)*) => {
        $(fn $name$(<$life>)?(&$($life)? self, $($arg: $ty),*) -> BoxFuture<$out, Result<$answer>> {
            match self.open() {
                Ok(journal) => journal.$name($($arg),*),
                Err(error) => failed(error),
            }
        })*
    };
}

impl Journal for LazyJournal {
    delegate! {
        begin(begin: Begin) -> '_ Begun;
        finish(lease: Lease, outcome: Outcome) -> 'static Row;
        <'a> peek(key: &'a CallKey) -> 'a Option<Row>;
        <'a> rows(query: &'a RowQuery) -> 'a Vec<Row>;
        <'a> next_attempt(task: &'a Task) -> 'a u32;
        mark_lost() -> '_ Vec<Row>;
        reconcile(call_id: String, answer: Answer, by: ResolvedBy) -> '_ Row;
        revert(call_id: String, status: RevertStatus, error_json: Option<String>) -> '_ Row;
        <'a> consents(task: &'a Task) -> 'a Vec<ReplayConsent>;
        consent(task: Task, consent: ReplayConsent) -> '_ ();
        verify(options: VerifyOptions) -> '_ VerifyReport;
        audit(row: AuditRow) -> 'static ();
        <'a> audited(query: &'a AuditQuery) -> 'a Vec<Value>;
    }

    fn running(&self, lease: &Lease) {
        if let Ok(journal) = self.open() {
            journal.running(lease);
        }
    }

    fn record(&self, call: Row) {
        match self.open() {
            Ok(journal) => journal.record(call),
            // A read goes on without its row; what keeps side effects from running says so itself.
            Err(error) if !self.told.swap(true, Ordering::Relaxed) => {
                tracing::warn!(target: "toolbox::journal", %error, "reads are not recorded");
            }
            Err(_) => {}
        }
    }

    fn is_alive<'a>(&'a self, row: &'a Row) -> BoxFuture<'a, bool> {
        match self.open() {
            Ok(journal) => journal.is_alive(row),
            Err(_) => Box::pin(std::future::ready(false)),
        }
    }

    fn keeps_audit(&self) -> bool {
        true
    }

    fn owner(&self) -> &str {
        self.open().map_or("", |journal| journal.owner())
    }

    fn pepper(&self) -> Pepper {
        self.open().map_or_else(|_| Pepper::default(), |journal| journal.pepper())
    }
}
