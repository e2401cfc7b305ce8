//! Types, and what hangs on them: lists of types, null, maps, tuples, and the limits of machine types.

use serde_json::{Map, Value, json};

use crate::dialect::wire::Wire;

/// Keywords that speak of one kind of value only, with its types.
const OF_TYPE: &[(&[&str], &[&str])] = &[
    (&["string"], &["minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"]),
    (&["integer", "number"], &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
    (
        &["array"],
        &["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "unevaluatedItems"],
    ),
    (
        &["object"],
        &[
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
            "unevaluatedProperties",
            "dependentRequired",
            "dependentSchemas",
            "x-entries",
        ],
    ),
];

/// The types that a schema names.
pub(super) fn names(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let (one, list) = match schema.get("type") {
        Some(Value::String(name)) => (Some(name.as_str()), None),
        Some(Value::Array(names)) => (None, Some(names)),
        _ => (None, None),
    };
    one.into_iter().chain(list.into_iter().flatten().filter_map(Value::as_str))
}

/// Whether a keyword stays outside when a list of types becomes a union.
pub(super) fn is_outer(keyword: &str) -> bool {
    matches!(keyword, "description" | "default" | "examples" | "deprecated" | "readOnly" | "writeOnly")
        || (keyword.starts_with("x-") && keyword != "x-entries")
}

/// One schema per type, where the form does not take the list of types; `None` where it does.
pub(super) fn split(schema: &Map<String, Value>, wire: Wire) -> Option<Vec<Map<String, Value>>> {
    let Some(Value::Array(_)) = schema.get("type") else { return None };
    let has_container = names(schema).any(|name| matches!(name, "object" | "array"));
    (has_container || wire.splits_types()).then(|| names(schema).map(|name| branch(schema, name)).collect())
}

/// What a schema says of one of its types.
fn branch(schema: &Map<String, Value>, name: &str) -> Map<String, Value> {
    let mut branch = Map::from_iter([("type".to_owned(), Value::from(name))]);
    if name == "null" {
        return branch;
    }
    for (keyword, value) in schema {
        let of = OF_TYPE.iter().find(|row| row.1.contains(&keyword.as_str())).map(|row| row.0);
        match (keyword.as_str(), value) {
            ("type", _) => {}
            ("enum", Value::Array(values)) => {
                let own: Vec<Value> = values.iter().filter(|value| is_of(value, name)).cloned().collect();
                branch.insert(keyword.clone(), own.into());
            }
            (outer, _) if is_outer(outer) => {}
            _ if of.is_none_or(|names| names.contains(&name)) => {
                branch.insert(keyword.clone(), value.clone());
            }
            _ => {}
        }
    }
    branch
}

/// Whether a value is of a JSON Schema type.
pub(crate) fn is_of(value: &Value, name: &str) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(number) => {
            name == "number"
                || (name == "integer" && number.as_f64().is_none_or(|double| double.fract() == 0.0))
        }
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    }
}

/// Lets a schema take null as well, as OpenAI's strict form wants it of a property that may be left out.
pub(super) fn make_nullable(schema: &mut Map<String, Value>) {
    let scalar =
        schema.get("type").and_then(Value::as_str).filter(|name| !matches!(*name, "object" | "array"));
    if let (Some(name), false) = (scalar, schema.contains_key("const")) {
        schema.insert("type".to_owned(), json!([name, "null"]));
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.push(Value::Null);
        }
        return;
    }
    let description = schema.remove("description");
    let lone = schema.len() == 1;
    match schema.get_mut("anyOf") {
        Some(Value::Array(branches)) if lone => branches.push(json!({"type": "null"})),
        _ => {
            let inner = Value::Object(std::mem::take(schema));
            schema.insert("anyOf".to_owned(), json!([inner, {"type": "null"}]));
        }
    }
    schema.extend(description.map(|text| ("description".to_owned(), text)));
}

/// Whether an object is a map: any keys, and no named ones.
pub(super) fn is_map(schema: &Map<String, Value>) -> bool {
    is_open(schema) && schema.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty)
}

/// Whether an object takes keys that it does not name, and says so.
pub(super) fn is_open(schema: &Map<String, Value>) -> bool {
    schema.get("additionalProperties").is_some_and(|others| *others != Value::Bool(false))
}

/// Whether nothing can stand behind the items of a tuple.
pub(super) fn is_closed_tuple(schema: &Map<String, Value>) -> bool {
    let items = schema.get("prefixItems").and_then(Value::as_array).map(Vec::len);
    let most = schema.get("maxItems").and_then(Value::as_u64).and_then(|most| usize::try_from(most).ok());
    items.is_some()
        && (schema.get("items") == Some(&Value::Bool(false)) || most.is_some_and(|most| Some(most) <= items))
}

/// What an item of a tuple may be, for readers that do not know tuples.
pub(super) fn any_of_elements(elements: &[Value]) -> Value {
    let bare = elements.iter().map(|element| {
        let mut element = element.clone();
        if let Value::Object(schema) = &mut element {
            schema.retain(|keyword, _| !is_outer(keyword));
        }
        element
    });
    let mut elements = distinct(bare);
    if elements.len() == 1 { elements.remove(0) } else { json!({"anyOf": elements}) }
}

/// Each value once, in order.
pub(super) fn distinct(values: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut distinct: Vec<Value> = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// Whether a bound is only the limit of a 32-bit type: noise to a model.
pub(super) fn is_limit(keyword: &str, value: &Value) -> bool {
    let limits = [
        f64::from(i32::MIN),
        f64::from(i32::MAX),
        f64::from(u32::MAX),
        f64::from(f32::MIN),
        f64::from(f32::MAX),
    ];
    matches!(keyword, "minimum" | "maximum") && value.as_f64().is_some_and(|bound| limits.contains(&bound))
}
