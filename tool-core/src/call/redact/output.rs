//! What of a result may be written down, where the output schema of its tool marks parts of it: content of files, output of
//! commands. Texts of such a result say the same once more, so they are left out.

use serde_json::{Value, json};

use super::{Form, KnownSecrets, redact};
use crate::def::ToolDef;
use crate::output::ToolOutput;

/// A result for the journal; `None` where nothing of it is marked, and all of it may be written.
pub(crate) fn recordable(def: &ToolDef<'_>, output: &ToolOutput) -> Option<ToolOutput> {
    let (value, kept) = kept(def, output, &KnownSecrets::default(), Form::Journal)?;
    Some(ToolOutput { content: Vec::new(), structured: Some(in_its_type(&value, kept)), ..output.clone() })
}

/// The value of a result for the audit; `None` where nothing of it is marked.
pub(crate) fn shown(def: &ToolDef<'_>, output: &ToolOutput, secrets: &KnownSecrets) -> Option<Value> {
    kept(def, output, secrets, Form::Audit).map(|(_, kept)| kept)
}

/// The whole value, and what is kept of it.
fn kept(
    def: &ToolDef<'_>,
    output: &ToolOutput,
    secrets: &KnownSecrets,
    form: Form,
) -> Option<(Value, Value)> {
    let schema = def.output_schema()?;
    if !is_marked(schema) {
        return None;
    }
    let value = output.data();
    let kept = redact(&value, schema, secrets, form).value;
    Some((value, kept))
}

/// Whether a node of a schema has a mode.
fn is_marked(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.contains_key("x-log") || members.values().any(is_marked),
        Value::Array(items) => items.iter().any(is_marked),
        _ => false,
    }
}

/// A text that was hidden stays a text: who replays the result may judge it by the schema.
pub(super) fn in_its_type(value: &Value, kept: Value) -> Value {
    match (value, kept) {
        (Value::String(_), Value::Object(hidden)) => {
            let told = |key: &str| Some(hidden.get(key)?.to_string().replace('"', ""));
            let mode = told("$redacted").unwrap_or_default();
            json!(match (told("bytes"), told("sha256")) {
                (Some(bytes), Some(sha256)) => format!("[{mode}: {bytes} bytes, sha256 {sha256}]"),
                (Some(bytes), None) => format!("[{mode}: {bytes} bytes]"),
                _ => format!("[{mode}]"),
            })
        }
        (Value::Array(items), Value::Array(kept)) if items.len() == kept.len() => {
            items.iter().zip(kept).map(|(item, kept)| in_its_type(item, kept)).collect()
        }
        (Value::Object(members), Value::Object(kept)) => {
            let typed = |(key, kept): (String, Value)| match members.get(&key) {
                Some(value) => (key, in_its_type(value, kept)),
                None => (key, kept),
            };
            Value::Object(kept.into_iter().map(typed).collect())
        }
        (_, kept) => kept,
    }
}
