//! Places in a call: the one that a complaint speaks of, found as its reader would find it.

use serde_json::Value;

use crate::complaint::{At, Shown};
use crate::schema::Schema;

/// The tokens of a pointer, unescaped.
pub(crate) fn tokens(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")).collect()
}

/// The schema of a place.
pub(crate) fn schema_at<'a>(root: Schema<'a>, path: &[String]) -> Option<Schema<'a>> {
    path.iter().try_fold(root, |schema, token| match token.parse::<usize>() {
        Ok(position) => schema.item(position).or_else(|| schema.member(token)),
        // What stands for a list without being one has no position.
        Err(_) => schema.member(token).or_else(|| schema.item(0)?.member(token)),
    })
}

/// The value of a place; JSON in a text on the way is opened.
pub(crate) fn value_at<'v>(root: &'v mut Value, path: &[String]) -> Option<&'v mut Value> {
    path.iter().try_fold(root, |value, token| {
        if let Value::String(text) = value {
            *value = serde_json::from_str(text).ok()?;
        }
        match value {
            Value::Object(members) => members.get_mut(token),
            Value::Array(items) => items.get_mut(token.parse::<usize>().ok()?),
            _ => None,
        }
    })
}

/// Every place of a call with its value and, where there is one, its schema.
pub(crate) fn places<'v, 's>(value: &'v Value, schema: Option<Schema<'s>>) -> Vec<Found<'v, 's>> {
    let mut found = Vec::new();
    walk(value, schema, Vec::new(), &mut found);
    found
}

/// A place of a call.
pub(crate) struct Found<'v, 's> {
    pub(crate) path: Vec<String>,
    pub(crate) value: &'v Value,
    pub(crate) schema: Option<Schema<'s>>,
}

fn walk<'v, 's>(
    value: &'v Value,
    schema: Option<Schema<'s>>,
    path: Vec<String>,
    found: &mut Vec<Found<'v, 's>>,
) {
    let below = |token: String| path.iter().cloned().chain([token]).collect();
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                walk(value, schema.and_then(|schema| schema.member(name)), below(name.clone()), found);
            }
        }
        Value::Array(items) => {
            for (position, value) in items.iter().enumerate() {
                let item = schema.and_then(|schema| schema.item(position));
                walk(value, item, below(position.to_string()), found);
            }
        }
        _ => {}
    }
    found.push(Found { path, value, schema });
}

/// The place of a value that does not fit: by its pointer; else the one that looks like what the error repeats and that
/// the schema does not take, any that the schema does not take, or the first that looks like it.
pub(crate) fn of_value(at: &At, call: &Value, schema: Schema<'_>) -> Option<Vec<String>> {
    let mut places = places(call, Some(schema));
    let is_alike = |value: &Value| match at {
        At::Value(Shown::Scalar(shown)) => value == shown,
        At::Value(Shown::Array) => value.is_array(),
        At::Value(Shown::Object) => value.is_object(),
        At::Pointer(_) | At::Name(_) | At::Untold => false,
    };
    let is_wrong = |place: &Found<'_, '_>| place.schema.is_some_and(|schema| !schema.takes(place.value));
    let chosen = match at {
        At::Pointer(pointer) => return Some(tokens(pointer)),
        At::Name(name) => places.iter().position(|place| place.path.last() == Some(name)),
        At::Value(_) | At::Untold => {
            let both = places.iter().position(|place| is_wrong(place) && is_alike(place.value));
            let wrong = || places.iter().position(is_wrong);
            both.or_else(wrong).or_else(|| places.iter().position(|place| is_alike(place.value)))
        }
    };
    Some(places.swap_remove(chosen?).path)
}

/// The object in which a required name is missing: by the pointer, or the first whose schema asks for it.
pub(crate) fn of_missing(at: &At, call: &Value, schema: Schema<'_>) -> Option<(Vec<String>, String)> {
    match at {
        At::Pointer(pointer) => {
            let mut path = tokens(pointer);
            let name = path.pop()?;
            Some((path, name))
        }
        At::Name(name) => {
            let mut places = places(call, Some(schema)).into_iter();
            let lacks = |place: &Found<'_, '_>| {
                let asks = place.schema.is_some_and(|schema| schema.is_required(name));
                asks && place.value.as_object().is_some_and(|members| !members.contains_key(name))
            };
            let place = places.find(lacks)?;
            Some((place.path, name.clone()))
        }
        At::Value(_) | At::Untold => None,
    }
}
