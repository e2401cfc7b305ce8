//! Errors and envelopes for programs: the one JSON form.

use serde_json::Value;
use tool_core::{ToolResult, envelope};

use crate::format::Format;
use crate::yaml;

/// The form `{"ok", "tool", …}` of an outcome; `tool` is null when none was reached.
pub(crate) fn outcome(tool: Option<&str>, result: &ToolResult) -> Value {
    let mut value = envelope(tool.unwrap_or_default(), result);
    if let (None, Some(object)) = (tool, value.as_object_mut()) {
        object.insert("tool".to_owned(), Value::Null);
    }
    value
}

/// An envelope in a structured format.
pub(crate) fn render(value: &Value, format: Option<Format>, pretty: bool) -> String {
    match format {
        Some(Format::Yaml) => yaml::render(value),
        Some(Format::Jsonl) => format!("{value}\n"),
        _ if pretty => format!("{value:#}\n"),
        _ => format!("{value}\n"),
    }
}
