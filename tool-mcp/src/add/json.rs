//! Settings in JSON with comments.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use jsonc_parser::errors::ParseError;
use serde_json::Value;

use super::edit::{Fault, Slot};

/// What clients read: comments, and a comma at the end.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        ..ParseOptions::default()
    }
}

fn fault(error: &ParseError) -> Fault {
    let text = error.kind().to_string();
    Fault { line: error.line_display(), column: error.column_display(), text: text.to_lowercase() }
}

pub(super) fn read(text: &str) -> Result<Value, Fault> {
    Ok(parsed(text)?.to_serde_value().unwrap_or_default())
}

fn parsed(text: &str) -> Result<CstRootNode, Fault> {
    CstRootNode::parse(text, &options()).map_err(|error| fault(&error))
}

pub(super) fn set(text: Option<&str>, slot: &Slot<'_>, entry: &Value) -> Result<String, Fault> {
    let Some(text) = text else {
        let whole = serde_json::json!({slot.servers: {slot.name: entry}});
        return Ok(format!("{whole:#}\n"));
    };
    let root = parsed(text)?;
    let servers = root.object_value_or_set().object_value_or_set(slot.servers);
    match servers.get(slot.name) {
        Some(old) => old.set_value(input(entry)),
        None => drop(servers.append(slot.name, input(entry))),
    }
    Ok(root.to_string())
}

pub(super) fn remove(text: &str, slot: &Slot<'_>) -> Result<String, Fault> {
    let root = parsed(text)?;
    let servers = root.object_value().and_then(|whole| whole.object_value(slot.servers));
    if let Some(entry) = servers.and_then(|servers| servers.get(slot.name)) {
        entry.remove();
    }
    Ok(root.to_string())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}
