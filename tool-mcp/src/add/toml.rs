//! Settings in TOML.

use serde_json::Value;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TomlError};

use super::edit::{Fault, Slot};

fn parsed(text: &str) -> Result<DocumentMut, Fault> {
    text.parse().map_err(|error: TomlError| {
        let byte = error.span().map_or(0, |span| span.start);
        Fault::at(text, byte, error.message().lines().collect::<Vec<_>>().join(", "))
    })
}

pub(super) fn read(text: &str) -> Result<Value, Fault> {
    Ok(table_value(parsed(text)?.as_table()))
}

fn table_value(table: &Table) -> Value {
    Value::Object(table.iter().map(|(key, item)| (key.to_owned(), item_value(item))).collect())
}

fn item_value(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(inner) => value(inner),
        Item::Table(table) => table_value(table),
        Item::ArrayOfTables(tables) => tables.iter().map(table_value).collect(),
    }
}

fn value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(value) => Value::from(*value.value()),
        toml_edit::Value::Datetime(time) => Value::from(time.value().to_string()),
        toml_edit::Value::Array(items) => items.iter().map(self::value).collect(),
        toml_edit::Value::InlineTable(table) => {
            Value::Object(table.iter().map(|(key, inner)| (key.to_owned(), self::value(inner))).collect())
        }
    }
}

pub(super) fn set(text: Option<&str>, slot: &Slot<'_>, entry: &Value) -> Result<String, Fault> {
    let mut document = parsed(text.unwrap_or_default())?;
    let servers = document.entry(slot.servers).or_insert_with(|| {
        let mut servers = Table::new();
        servers.set_implicit(true);
        Item::Table(servers)
    });
    match servers {
        Item::Table(servers) => {
            // One that is replaced keeps its place.
            let place = servers.get(slot.name).and_then(Item::as_table).and_then(Table::position);
            let mut table = written(entry);
            table.set_position(place);
            servers.insert(slot.name, Item::Table(table));
        }
        Item::Value(toml_edit::Value::InlineTable(servers)) => {
            servers.insert(slot.name, written(entry).into_inline_table().into());
        }
        _ => {}
    }
    Ok(document.to_string())
}

pub(super) fn remove(text: &str, slot: &Slot<'_>) -> Result<String, Fault> {
    let mut document = parsed(text)?;
    if let Some(servers) = document.get_mut(slot.servers).and_then(Item::as_table_like_mut) {
        servers.remove(slot.name);
    }
    Ok(document.to_string())
}

fn written(entry: &Value) -> Table {
    let members = entry.as_object().into_iter().flatten();
    members.map(|(key, value)| (key.as_str(), Item::Value(item(value)))).collect()
}

fn item(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => items.iter().map(item).collect::<Array>().into(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| (key.as_str(), item(value))).collect::<InlineTable>().into()
        }
        Value::Null => "".into(),
    }
}
