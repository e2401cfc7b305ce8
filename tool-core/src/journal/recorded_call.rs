//! What handlers that reconcile and revert are told, and what they say. (journal.md §2, §8)

use serde_json::Value;

use super::outcome::output_of_json;
use super::row::Row;
use super::store::Answer;
use crate::call::redact;
use crate::context::ToolContext;
use crate::def::BoxFuture;
use crate::def::ToolDef;
use crate::error::ToolError;
use crate::output::ToolOutput;

/// A call that was recorded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedCall {
    /// Its id.
    pub call_id: String,
    /// The effective name of the tool.
    pub tool: String,
    /// The arguments, in normal form.
    pub input: Value,
    /// Whether all of them are there; secret ones are not in a journal.
    pub input_complete: bool,
    /// What the tool saw as its key.
    pub key: String,
    /// The attempt.
    pub attempt: u32,
    /// The number of the call within the attempt.
    pub seq: u32,
    /// When its intent was written, in milliseconds since 1970.
    pub started_at_ms: i64,
    /// What it delivered, where that is recorded.
    pub output: Option<ToolOutput>,
}

impl RecordedCall {
    /// The call of a row; `input` are its arguments where they are known better than the row knows them.
    pub fn of(row: &Row, input: Option<Value>) -> RecordedCall {
        let input_complete = row.input_complete || input.is_some();
        RecordedCall {
            call_id: row.call_id.clone(),
            tool: row.tool_name.clone(),
            input: input.unwrap_or_else(|| serde_json::from_str(&row.input_json).unwrap_or_default()),
            input_complete,
            key: row.tool_key.clone(),
            attempt: row.attempt,
            seq: row.seq,
            started_at_ms: row.started_at_ms,
            output: row.output_json.as_deref().and_then(output_of_json),
        }
    }
}

/// What the outside world says about a call in doubt.
#[derive(Debug)]
pub enum Reconciled {
    /// It succeeded, with this result.
    Done(ToolOutput),
    /// It failed.
    Failed(ToolError),
    /// It did not happen.
    NotDone,
    /// Nobody can tell.
    Unknown,
}

impl Reconciled {
    /// With content hidden as in the outcome of a call: it becomes the recorded one.
    pub(crate) fn recordable(self, def: &ToolDef<'_>) -> Reconciled {
        match self {
            Reconciled::Done(output) => {
                Reconciled::Done(redact::output::recordable(def, &output).unwrap_or(output))
            }
            Reconciled::Failed(error) => Reconciled::Failed(redact::error::recordable(def, &error)),
            other => other,
        }
    }

    /// The answer as it is recorded.
    pub fn answer(&self) -> Answer {
        match self {
            Reconciled::Done(output) => Answer::Done(super::output_to_json(output).to_string()),
            Reconciled::Failed(error) => Answer::Failed(error.to_json().to_string()),
            Reconciled::NotDone => Answer::NotDone,
            Reconciled::Unknown => Answer::Unknown,
        }
    }
}

/// Finds out whether a call in doubt happened.
pub type Reconcile = for<'a> fn(&'a RecordedCall, &'a ToolContext) -> BoxFuture<'a, Reconciled>;

/// Undoes a call.
pub type Revert = for<'a> fn(&'a RecordedCall, &'a ToolContext) -> BoxFuture<'a, Result<(), ToolError>>;

/// A function that a definition names, with its path.
#[derive(Clone, Copy)]
pub struct Handle<'a, F> {
    /// Its path, as its author wrote it.
    pub path: &'a str,
    /// The function.
    pub run: F,
}

impl<F> std::fmt::Debug for Handle<'_, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.path)
    }
}

/// What a handler may return: its answer, or a future of it. `M` only tells the two apart.
pub trait Answers<'a, T, M> {
    /// The answer to come.
    fn boxed(self) -> BoxFuture<'a, T>;
}

/// The mark of an answer that is there.
#[derive(Debug)]
pub enum Now {}

/// The mark of an answer to come.
#[derive(Debug)]
pub enum Soon {}

impl<'a, T: Send + 'a> Answers<'a, T, Now> for T {
    fn boxed(self) -> BoxFuture<'a, T> {
        Box::pin(std::future::ready(self))
    }
}

impl<'a, T, F: Future<Output = T> + Send + 'a> Answers<'a, T, Soon> for F {
    fn boxed(self) -> BoxFuture<'a, T> {
        Box::pin(self)
    }
}
