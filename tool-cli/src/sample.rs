//! A call that shows how a tool is used, where its author gave none: its required arguments, each with a plain value.

use serde_json::{Map, Value, json};

use crate::flags::Table;
use crate::kind;

/// References that are followed.
const DEPTH: usize = 8;

/// Plain values for everything that a call must give.
pub(crate) fn arguments(table: &Table) -> Map<String, Value> {
    let required = table.params.iter().filter(|param| param.required);
    required.map(|param| (param.name.clone(), value(&param.schema, &param.name, table, DEPTH))).collect()
}

fn value(schema: &Value, name: &str, table: &Table, depth: usize) -> Value {
    let schema = kind::without_null(schema);
    let given = ["const", "default"].iter().find_map(|key| schema.get(*key));
    let listed = schema.get("enum").and_then(|values| values.get(0));
    if let Some(value) = given.or(listed) {
        return value.clone();
    }
    if depth == 0 {
        return Value::Null;
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let key = reference.rsplit('/').next().unwrap_or_default();
        return table.definitions.get(key).map_or(Value::Null, |found| value(found, name, table, depth - 1));
    }
    if let Some(first) = schema.as_object().and_then(kind::branches).and_then(|branches| branches.first()) {
        return value(first, name, table, depth - 1);
    }
    let named = match schema.get("type") {
        Some(Value::Array(names)) => names.first().and_then(Value::as_str),
        other => other.and_then(Value::as_str),
    };
    match named {
        Some("boolean") => Value::Bool(true),
        Some("integer" | "number") => number(&schema),
        Some("array") => list(&schema, name, table, depth),
        Some("object") => object(&schema, table, depth),
        _ if schema.get("contentEncoding").is_some() => json!("aGVsbG8="),
        _ => text(&schema, name),
    }
}

/// One, or the bound that is nearest to it.
fn number(schema: &Value) -> Value {
    let bound = |key: &str, beyond: fn(f64) -> bool| {
        schema.get(key).filter(|bound| bound.as_f64().is_some_and(beyond)).cloned()
    };
    let least = bound("minimum", |least| least > 1.0);
    least.or_else(|| bound("maximum", |most| most < 1.0)).unwrap_or_else(|| json!(1))
}

fn list(schema: &Value, name: &str, table: &Table, depth: usize) -> Value {
    if let Some(items) = schema.get("prefixItems").and_then(Value::as_array) {
        return items.iter().map(|item| value(item, name, table, depth - 1)).collect();
    }
    match schema.get("items") {
        Some(item) => Value::Array(vec![value(item, name, table, depth - 1)]),
        None => Value::Array(Vec::new()),
    }
}

fn object(schema: &Value, table: &Table, depth: usize) -> Value {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let properties = schema.get("properties");
    let member = |name: &Value| {
        let name = name.as_str()?;
        Some((name.to_owned(), value(properties?.get(name)?, name, table, depth - 1)))
    };
    Value::Object(required.filter_map(member).collect())
}

/// The name of the parameter, as long as it has to be.
fn text(schema: &Value, name: &str) -> Value {
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    let least = bound("minLength").unwrap_or(0);
    let most = bound("maxLength").unwrap_or(usize::MAX);
    let letters = name.chars().cycle().take(name.chars().count().max(least).min(most));
    Value::String(letters.collect())
}
