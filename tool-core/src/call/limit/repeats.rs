//! Equal calls in a row within one run: a sign that a model is stuck. (calls.md §13)

use std::sync::{Mutex, PoisonError};

use serde_json::json;

use crate::call::refuse::refuse;
use crate::error::ToolError;
use crate::output::ToolResult;

/// From which equal call in a row on the caller is told.
const TOLD_FROM: u32 = 3;

/// What the caller is told.
const HINT: &str =
    "the same call again, with the same arguments: its answer will hardly change; try something else";

/// The last call of a run that was let through.
#[derive(Debug, Default)]
pub(super) struct Repeats(Mutex<Last>);

#[derive(Debug, Default)]
struct Last {
    tool: String,
    digest: String,
    /// How often it was made in a row.
    times: u32,
}

impl Repeats {
    /// Counts a call with the digest of its arguments; its place among equal ones in a row, from 1.
    pub(super) fn count(&self, tool: &str, digest: String) -> u32 {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let nth = last.next(tool, &digest);
        *last = Last { tool: tool.to_owned(), digest, times: nth };
        nth
    }

    /// Refuses a call that was made as often in a row as it may be; 0 is any number.
    pub(super) fn check(&self, tool: &str, digest: &str, limit: u32) -> Result<(), ToolError> {
        let nth = self.0.lock().unwrap_or_else(PoisonError::into_inner).next(tool, digest);
        if limit == 0 || nth <= limit {
            return Ok(());
        }
        let text = format!("{tool} was called {limit} times in a row with these arguments.");
        let error = ToolError::denied(text).code("repeated_call").hint(HINT).detail("repeated", nth);
        Err(refuse("limit", error))
    }
}

impl Last {
    /// The place that a call would have.
    fn next(&self, tool: &str, digest: &str) -> u32 {
        if (self.tool.as_str(), self.digest.as_str()) == (tool, digest) { self.times + 1 } else { 1 }
    }
}

/// Tells the caller of the repetition.
pub(super) fn told(result: ToolResult, nth: u32) -> ToolResult {
    if nth < TOLD_FROM {
        return result;
    }
    match result {
        Ok(mut output) => {
            output.meta.insert("repeated".to_owned(), json!(nth));
            output.meta.insert("hint".to_owned(), json!(HINT));
            Ok(output)
        }
        Err(error) if error.hint_str().is_some() => Err(error.detail("repeated", nth)),
        Err(error) => Err(error.detail("repeated", nth).hint(HINT)),
    }
}
