//! Settings in YAML.

use std::str::FromStr as _;

use serde_json::Value;
use yaml_edit::{Document, MappingBuilder, SequenceBuilder};

use super::edit::{Fault, Slot};

pub(super) fn read(text: &str) -> Result<Value, Fault> {
    serde_saphyr::from_str(text).map_err(|error| match error.location() {
        Some(at) => Fault {
            line: usize::try_from(at.line()).unwrap_or_default(),
            column: usize::try_from(at.column()).unwrap_or_default(),
            text: "this is no YAML".to_owned(),
        },
        None => Fault::at(text, 0, "this is no YAML".to_owned()),
    })
}

fn parsed(text: &str) -> Result<Document, Fault> {
    Document::from_str(text).map_err(|error| Fault::at(text, 0, error.to_string()))
}

pub(super) fn set(text: Option<&str>, slot: &Slot<'_>, entry: &Value) -> Result<String, Fault> {
    let document = parsed(text.unwrap_or_default())?;
    let Some(entry) = mapping(entry).build_document().as_mapping() else { return Ok(document.to_string()) };
    match document.get_mapping(slot.servers) {
        Some(servers) => servers.set(slot.name, entry),
        None => {
            let servers = MappingBuilder::new().pair(slot.name, entry).build_document().as_mapping();
            if let Some(servers) = servers {
                document.set(slot.servers, servers);
            }
        }
    }
    Ok(ended(document.to_string()))
}

/// A text that ends with the end of a line.
fn ended(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn mapping(entry: &Value) -> MappingBuilder {
    let members = entry.as_object().into_iter().flatten();
    members.fold(MappingBuilder::new(), |mapping, (key, value)| match value {
        Value::Bool(value) => mapping.pair(key, *value),
        Value::Number(number) => mapping.pair(key, number.as_i64().unwrap_or_default()),
        Value::String(text) => mapping.pair(key, text),
        Value::Array(items) => mapping.insert_sequence(key, sequence(items)),
        _ => mapping,
    })
}

fn sequence(items: &[Value]) -> SequenceBuilder {
    items.iter().filter_map(Value::as_str).fold(SequenceBuilder::new(), SequenceBuilder::item)
}

pub(super) fn remove(text: &str, slot: &Slot<'_>) -> Result<String, Fault> {
    let document = parsed(text)?;
    if let Some(servers) = document.get_mapping(slot.servers) {
        servers.remove(slot.name);
    }
    Ok(document.to_string())
}
