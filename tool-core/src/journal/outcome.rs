//! Outcomes as text: what a call delivered, in a form that gives it back. (journal.md §9)

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::row::Row;
use super::words::{Word as _, kind_of};
use crate::call::redact;
use crate::def::ToolDef;
use crate::error::{Effect, ErrorKind, ToolError};
use crate::output::{ToolOutput, ToolResult};
use crate::structured::Structured;

/// What the pipeline notes about the way a result came about: not part of the result.
const NOTES: [&str; 3] = ["replayed", "call_id", "journal"];

/// A result as recorded. Members that are empty are left out.
pub fn output_to_json(output: &ToolOutput) -> Value {
    let mut out = Map::new();
    if !output.content.is_empty() {
        out.insert("content".to_owned(), json!(output.content));
    }
    if let Some(value) = &output.structured {
        out.insert("structured".to_owned(), value.to_value());
    }
    if let Some(trailer) = &output.trailer {
        out.insert("trailer".to_owned(), json!(trailer));
    }
    if let Some(cut) = &output.truncated {
        out.insert("truncated".to_owned(), json!(cut));
    }
    if output.finish {
        out.insert("finish".to_owned(), json!(true));
    }
    let meta: Map<String, Value> = output
        .meta
        .iter()
        .filter(|(key, _)| !NOTES.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    if !meta.is_empty() {
        out.insert("meta".to_owned(), Value::Object(meta));
    }
    Value::Object(out)
}

/// A recorded result; `None` when it is none.
pub fn output_of_json(text: &str) -> Option<ToolOutput> {
    let Value::Object(mut members) = serde_json::from_str(text).ok()? else { return None };
    Some(ToolOutput {
        content: match members.remove("content") {
            Some(content) => serde_json::from_value(content).ok()?,
            None => Vec::new(),
        },
        structured: members.remove("structured").map(Structured::from),
        trailer: members.remove("trailer").and_then(|text| text.as_str().map(str::to_owned)),
        truncated: members.remove("truncated").and_then(|text| text.as_str().map(str::to_owned)),
        finish: members.remove("finish") == Some(Value::Bool(true)),
        meta: match members.remove("meta") {
            Some(Value::Object(meta)) => meta,
            _ => Map::new(),
        },
    })
}

/// An error as recorded: what the schemas of its tool mark is hidden, and what it says to be content.
pub fn error_to_json(tool: &ToolDef<'_>, error: &ToolError) -> Value {
    redact::error::recordable(tool, error).to_json()
}

/// An error from its JSON form.
pub fn error_of_json(text: &str) -> ToolError {
    let form: Value = serde_json::from_str(text).unwrap_or_default();
    let word = |key: &str| form.get(key).and_then(Value::as_str).map(str::to_owned);
    let kind = word("kind").and_then(|kind| kind_of(&kind)).unwrap_or(ErrorKind::Internal);
    let mut error = ToolError::new(kind, word("message").unwrap_or_else(|| kind.sentence().to_owned()));
    if let Some(code) = word("code").filter(|code| code != kind.as_str()) {
        error = error.code(code);
    }
    if let Some(hint) = word("hint") {
        error = error.hint(hint);
    }
    if let Some(retryable) = form.get("retryable").and_then(Value::as_bool) {
        error = error.retryable(retryable);
    }
    if let Some(after) = form.get("retry_after_ms").and_then(Value::as_u64) {
        error = error.retry_after(Duration::from_millis(after));
    }
    if let Some(issues) = form.get("issues").cloned() {
        error = error.issues(serde_json::from_value::<Vec<crate::ArgIssue>>(issues).unwrap_or_default());
    }
    for (key, value) in form.get("details").and_then(Value::as_object).into_iter().flatten() {
        error = match value.as_str().filter(|_| key == "effect").and_then(Effect::of_word) {
            Some(effect) => error.effect(effect),
            None => error.detail(key, value.clone()),
        };
    }
    error
}

/// The recorded outcome, as it was delivered, with the notes of a replay.
pub fn recorded(row: &Row) -> ToolResult {
    let unreadable = || ToolError::internal("The recorded outcome cannot be read.").code("journal_corrupt");
    match (&row.output_json, &row.error_json) {
        (Some(output), _) => {
            let mut output = output_of_json(output).ok_or_else(unreadable)?;
            output.meta.insert("replayed".to_owned(), json!(true));
            output.meta.insert("call_id".to_owned(), json!(row.call_id));
            Ok(output)
        }
        (None, Some(error)) => {
            Err(error_of_json(error).detail("replayed", true).detail("call_id", row.call_id.clone()))
        }
        // A person has said that it succeeded or failed, and nothing more is known.
        (None, None) => match row.resolution {
            Some(super::words::Resolution::Ok) => {
                let mut output = ToolOutput::default();
                output.meta.insert("replayed".to_owned(), json!(true));
                output.meta.insert("call_id".to_owned(), json!(row.call_id));
                Ok(output)
            }
            _ => Err(ToolError::failed("It failed; nothing more is recorded.")
                .detail("replayed", true)
                .detail("call_id", row.call_id.clone())),
        },
    }
}
