//! Putting two schemas of one value together: beside a reference, in an `allOf` (rule S7), around a lone alternative.

use serde_json::{Map, Value};

use super::position::is_in_place;

/// Where the notes of documented cases are kept until the description is final. No author's keyword has this name.
pub(crate) const NOTES: &str = "\0notes";

/// Whether a keyword only tells something and restricts nothing.
pub(crate) fn is_annotation(keyword: &str) -> bool {
    matches!(keyword, "description" | "default" | "examples" | "deprecated" | NOTES)
        || keyword.starts_with("x-")
}

/// `base` with the keywords of `top` over it; properties, required names and notes are united, those of `top` first.
pub(crate) fn overlay(mut base: Map<String, Value>, top: Map<String, Value>) -> Map<String, Value> {
    for (keyword, value) in top {
        let value = match base.remove(&keyword) {
            Some(below) => match keyword.as_str() {
                "properties" => unite_named(value, below),
                "required" | NOTES => unite_lists(value, below),
                _ => value,
            },
            None => value,
        };
        base.insert(keyword, value);
    }
    base
}

/// Takes a lone alternative into the schema around it, whose annotations win. `None` when their assertions conflict.
pub(crate) fn absorb(outer: &Map<String, Value>, inner: &Map<String, Value>) -> Option<Map<String, Value>> {
    let conflict = |(keyword, value): (&String, &Value)| {
        !is_annotation(keyword) && inner.get(keyword).is_some_and(|other| other != value)
    };
    if outer.iter().any(conflict) {
        return None;
    }
    Some(overlay(inner.clone(), outer.clone()))
}

/// S7: merges the members of `allOf` into the schema around it, unless they conflict.
pub(crate) fn merge_all_of(schema: &mut Map<String, Value>) {
    let Some(Value::Array(members)) = schema.get("allOf") else { return };
    let mut merged = schema.clone();
    merged.remove("allOf");
    for member in members {
        let Some(member) = member.as_object() else { return };
        if member.keys().any(|keyword| is_in_place(keyword)) || !closed_for(&merged, member) {
            return;
        }
        for (keyword, value) in member {
            if !merge_keyword(&mut merged, keyword, value) {
                return;
            }
        }
    }
    *schema = merged;
}

/// Adds one keyword of a member; `false` when it conflicts.
fn merge_keyword(merged: &mut Map<String, Value>, keyword: &str, value: &Value) -> bool {
    let Some(present) = merged.get_mut(keyword) else {
        merged.insert(keyword.to_owned(), value.clone());
        return true;
    };
    match (keyword, present, value) {
        (_, present, value) if present == value => true,
        ("description", ..) => true,
        ("required" | NOTES, present, value) => {
            *present = unite_lists(present.take(), value.clone());
            true
        }
        ("properties", Value::Object(present), Value::Object(more)) => {
            more.iter().all(|(name, schema)| match present.get(name) {
                Some(other) => other == schema,
                None => {
                    present.insert(name.clone(), schema.clone());
                    true
                }
            })
        }
        _ => false,
    }
}

/// Whether neither of two schemas brings a property that the other, being closed, would refuse.
fn closed_for(a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
    let names = |schema: &Map<String, Value>| -> Vec<String> {
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
    };
    let speaks_of_others = |schema: &Map<String, Value>| {
        ["additionalProperties", "unevaluatedProperties", "patternProperties"]
            .iter()
            .any(|keyword| schema.get(*keyword).is_some_and(|value| value != &Value::Bool(true)))
    };
    let fits = |closed: &Map<String, Value>, other: &Map<String, Value>| {
        let known = names(closed);
        !speaks_of_others(closed) || names(other).iter().all(|name| known.contains(name))
    };
    fits(a, b) && fits(b, a)
}

/// The names of both, the first's first and with its schemas.
fn unite_named(first: Value, second: Value) -> Value {
    match (first, second) {
        (Value::Object(mut first), Value::Object(second)) => {
            for (name, schema) in second {
                if !first.contains_key(&name) {
                    first.insert(name, schema);
                }
            }
            Value::Object(first)
        }
        (first, _) => first,
    }
}

/// The items of both, each once.
pub(crate) fn unite_lists(first: Value, second: Value) -> Value {
    match (first, second) {
        (Value::Array(mut first), Value::Array(second)) => {
            for item in second {
                if !first.contains(&item) {
                    first.push(item);
                }
            }
            Value::Array(first)
        }
        (first, _) => first,
    }
}
