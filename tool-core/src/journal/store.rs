//! The journal as the call pipeline sees it. (journal.md §1)
//!
//! Exactly-once recording, at-least-once execution: every call has at most one recorded outcome per key, and a call whose
//! outcome is unknown is called so. Backends implement this over [`super::machine`].

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use serde_json::Value;

use super::chain::{Head, Verdict};
use super::fault::JournalError;
use super::key::Pepper;
use super::replay_gate::ReplayConsent;
use super::row::Row;
use super::state::Ended;
use super::words::{Resolution, ResolvedBy, RevertStatus, Status};
use crate::call::{AuditQuery, AuditRow};
use crate::def::BoxFuture;
use crate::error::ToolError;

/// A result of the journal.
pub type Result<T> = std::result::Result<T, JournalError>;

/// A store of calls and their outcomes.
pub trait Journal: Send + Sync {
    /// What a call meets; resolves when its intent is durable.
    fn begin(&self, begin: Begin) -> BoxFuture<'_, Result<Begun>>;

    /// Notes that the tool has started; queued, not awaited.
    fn running(&self, lease: &Lease);

    /// Records an outcome; resolves when it is committed. It is queued when this returns, whether the future is polled or
    /// not.
    fn finish(&self, lease: Lease, outcome: Outcome) -> BoxFuture<'static, Result<Row>>;

    /// Records a read: one row, queued.
    fn record(&self, call: Row);

    /// The row that calls with a key meet.
    fn peek<'a>(&'a self, key: &'a CallKey) -> BoxFuture<'a, Result<Option<Row>>>;

    /// Rows, ordered by attempt and number within one run, node and iteration.
    fn rows<'a>(&'a self, query: &'a RowQuery) -> BoxFuture<'a, Result<Vec<Row>>>;

    /// The number of the next attempt at a task: one more than the greatest, recorded at once.
    fn next_attempt<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<u32>>;

    /// Marks the open calls of dead owners as in doubt, and returns them.
    fn mark_lost(&self) -> BoxFuture<'_, Result<Vec<Row>>>;

    /// Settles a call in doubt.
    fn reconcile(&self, call_id: String, answer: Answer, by: ResolvedBy) -> BoxFuture<'_, Result<Row>>;

    /// Notes where undoing a call stands.
    fn revert(
        &self,
        call_id: String,
        status: RevertStatus,
        error_json: Option<String>,
    ) -> BoxFuture<'_, Result<Row>>;

    /// The answers that were given at the replay gate of a task.
    fn consents<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<Vec<ReplayConsent>>>;

    /// Keeps an answer given at the replay gate.
    fn consent(&self, task: Task, consent: ReplayConsent) -> BoxFuture<'_, Result<()>>;

    /// Whether the owner of a row is alive.
    fn is_alive<'a>(&'a self, row: &'a Row) -> BoxFuture<'a, bool>;

    /// Looks through the journal for what was changed behind its back.
    fn verify(&self, options: VerifyOptions) -> BoxFuture<'_, Result<VerifyReport>>;

    /// Whether it keeps audit rows: those of outcomes in [`Outcome::audit`], and others.
    fn keeps_audit(&self) -> bool {
        false
    }

    /// Keeps the audit row of a call whose outcome is not recorded; queued when this returns, whether the future is polled or
    /// not.
    fn audit(&self, row: AuditRow) -> BoxFuture<'static, Result<()>> {
        let error = JournalError::unavailable(format!("This journal keeps no audit row of {}.", row.tool));
        Box::pin(std::future::ready(Err(error)))
    }

    /// Audit rows in their JSON form, the newest first.
    fn audited<'a>(&'a self, _: &'a AuditQuery) -> BoxFuture<'a, Result<Vec<Value>>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// The owner that this handle writes as.
    fn owner(&self) -> &str;

    /// What secret arguments are digested with.
    fn pepper(&self) -> Pepper;

    /// Whether that is a secret of this installation. Without one no tool with a secret parameter can be recorded.
    fn has_pepper(&self) -> bool {
        true
    }

    /// Completes when others may take the calls that this owner runs: it could not say for too long that it is alive.
    fn is_stale(&self) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
}

/// A call that is about to run.
#[derive(Clone, Debug, Default)]
pub struct Begin {
    /// The row of its intent; the journal fills in number, time and owner.
    pub row: Row,
    /// The keys that it had under its tool's former names: name and key.
    pub former: Vec<(String, String)>,
    /// A call in doubt that somebody has allowed to be repeated.
    pub consented: Option<String>,
}

/// What a call meets.
#[derive(Debug)]
pub enum Begun {
    /// Nothing stands in the way: run.
    Run(Lease),
    /// The recorded outcome.
    Replay(Box<Row>),
    /// Somebody runs it.
    Wait(Waiter),
    /// The outside world must be asked.
    Reconcile(Box<Row>, Lease),
    /// A person must be asked.
    Ask(Box<Row>),
    /// It must not run.
    Refuse(ToolError),
}

/// The right to write the outcome of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The call.
    pub call_id: String,
    /// What proves the right.
    pub token: i64,
    /// The call's number within its attempt.
    pub seq: u32,
}

/// How a call ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Success, or kind and effect of the error.
    pub ended: Ended,
    /// The delivered result.
    pub output_json: Option<String>,
    /// The error's JSON form.
    pub error_json: Option<String>,
    /// Whether a repeat may succeed.
    pub retryable: Option<bool>,
    /// Whether the tool has read its key.
    pub took_key: bool,
    /// How often it was tried.
    pub tries: u32,
    /// What is told of the call afterwards, written in the same transaction.
    pub audit: Option<Box<AuditRow>>,
}

impl Outcome {
    /// A success.
    pub fn ok(output_json: impl Into<String>) -> Outcome {
        Outcome {
            ended: Ended::Ok,
            output_json: Some(output_json.into()),
            error_json: None,
            retryable: None,
            took_key: true,
            tries: 1,
            audit: None,
        }
    }

    /// A failure.
    pub fn error(error: &ToolError) -> Outcome {
        Outcome {
            ended: Ended::Error { kind: error.kind(), says: error.effect_value() },
            output_json: None,
            error_json: Some(error.to_json().to_string()),
            retryable: Some(error.is_retryable()),
            took_key: true,
            tries: 1,
            audit: None,
        }
    }
}

/// What was found out about a call in doubt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It had succeeded, with this result.
    Done(String),
    /// It had failed, with this error.
    Failed(String),
    /// It had not happened.
    NotDone,
    /// That cannot be known.
    Unknown,
    /// Somebody is about to find out: that is counted before it is tried.
    Trying,
    /// Finding out is given up.
    Abandoned,
}

impl Answer {
    /// The resolution; `None` for an unknown one.
    pub fn resolution(&self) -> Option<Resolution> {
        match self {
            Answer::Done(_) => Some(Resolution::Ok),
            Answer::Failed(_) => Some(Resolution::Error),
            Answer::NotDone => Some(Resolution::NotDone),
            Answer::Abandoned => Some(Resolution::Abandoned),
            Answer::Unknown | Answer::Trying => None,
        }
    }
}

/// What calls are deduplicated by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallKey {
    /// Whose call it is.
    pub tenant: String,
    /// The name of the tool.
    pub tool: String,
    /// The key.
    pub key: String,
}

/// One task of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Task {
    /// Whose run it is.
    pub tenant: String,
    /// The run.
    pub run_id: String,
    /// The node.
    pub node_id: String,
    /// Which time the node is run for.
    pub iteration: u64,
}

impl Task {
    /// The task of a row.
    pub fn of(row: &Row) -> Task {
        Task {
            tenant: row.tenant.clone(),
            run_id: row.run_id.clone(),
            node_id: row.node_id.clone(),
            iteration: row.iteration,
        }
    }
}

/// Which rows are asked for; what is not said is not asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowQuery {
    /// Of a call.
    pub call_id: Option<String>,
    /// Of a task.
    pub task: Option<Task>,
    /// Of a run.
    pub run_id: Option<String>,
    /// Of an attempt.
    pub attempt: Option<u32>,
    /// Of a tool.
    pub tool: Option<String>,
    /// With a key.
    pub call_key: Option<String>,
    /// With a status.
    pub status: Option<Status>,
    /// With these canonical arguments: their digest.
    pub args_sha256: Option<String>,
    /// Whose effect may stand at the replay gate.
    pub unprotected: Option<Unprotected>,
    /// Without what went in and came out: `input_json` is empty, `output_json` and `error_json` are none.
    pub brief: bool,
    /// Written after the row of this call, in the order of the answer.
    pub after: Option<String>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// Calls that no key protects: side effects, not idempotent, without a key of their own, and no replays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unprotected {
    /// Of earlier attempts than this one, and of this one itself.
    pub before: u32,
    /// Of this very attempt, only those that this owner did not make.
    pub except: Option<String>,
}

impl Unprotected {
    /// Whether a call is one of them. What became of it is not asked.
    pub fn selects(&self, row: &Row) -> bool {
        let others = || self.except.is_some() && row.owner != self.except;
        (row.attempt < self.before || (row.attempt == self.before && others()))
            && row.side_effect != Some(false)
            && row.idempotent != Some(true)
            && !row.takes_key
            && row.replay_of.is_none()
    }
}

/// Completes when a call that somebody else runs may have come to its end.
#[must_use]
pub struct Waiter(BoxFuture<'static, ()>);

impl Waiter {
    /// Waits for a future.
    pub fn new(until: impl Future<Output = ()> + Send + 'static) -> Waiter {
        Waiter(Box::pin(until))
    }
}

impl Future for Waiter {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(cx)
    }
}

impl fmt::Debug for Waiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Waiter")
    }
}

/// How a journal is looked through.
#[derive(Clone, Copy, Debug, Default)]
pub struct VerifyOptions {
    /// From the first entry, not only the last thousand.
    pub full: bool,
    /// An entry that must be there, kept elsewhere.
    pub expect: Option<Head>,
}

/// What looking through a journal found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    /// What is wrong, or the head.
    pub verdict: Verdict,
    /// How many entries were followed.
    pub entries: u64,
    /// How many rows were compared.
    pub rows: u64,
    /// The entry that is known from elsewhere to have been written; without one a lost end of the chain does not show.
    pub sealed: Option<u64>,
}
