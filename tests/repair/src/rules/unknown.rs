//! A key that nothing has: renamed, unwrapped, put where it belongs, or dropped.

use serde_json::{Map, Value};

use crate::complaint::At;
use crate::mend::Repair;
use crate::nearest::nearest;
use crate::place::{places, schema_at, tokens, value_at};
use crate::schema::Schema;

pub(crate) fn follow(repair: &mut Repair<'_>, at: &At, offered: &[String], known: &[String]) {
    let Some((parent, key)) = place(repair, at) else { return };
    let mut keys = vec![key];
    if matches!(at, At::Name(_)) {
        // An error that names one key, and all that may stand there, has said that the others beside it are wrong, too.
        let schema = schema_at(repair.schema, &parent);
        let names = schema.map_or_else(Vec::new, Schema::names);
        let known = |key: &String| known.contains(key) || names.contains(&key.as_str()) || keys.contains(key);
        if let Some(Value::Object(members)) = value_at(&mut repair.call, &parent) {
            let others: Vec<String> = members.keys().filter(|key| !known(key)).cloned().collect();
            // What is wrapped comes first, so that nothing else takes its place.
            keys.extend(others);
            keys.sort_by_key(|key| !matches!(members.get(key), Some(Value::Object(_))));
        }
    }
    for key in keys {
        settle(repair, &parent, key, offered, known);
    }
}

/// Finds a place for one key, or drops it.
fn settle(repair: &mut Repair<'_>, parent: &[String], key: String, offered: &[String], known: &[String]) {
    let schema = schema_at(repair.schema, parent);
    let Some(Value::Object(members)) = value_at(&mut repair.call, parent) else { return };
    let Some(value) = members.shift_remove(&key) else { return };
    let names = schema.map_or_else(Vec::new, Schema::names);
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let known = if known.is_empty() { &names } else { &known };
    let free = |name: &&str| !members.contains_key(*name) && **name != *key;
    if let Some(name) = offered.first() {
        members.entry(name.clone()).or_insert(value);
    } else if let Some(path) = dotted(&key, &names) {
        put(members, &path, value);
    } else if let Some(inner) = wrapped(&value, &names) {
        spread(members, inner);
    } else if let Some(owner) = schema.and_then(|schema| owner(schema, &names, &key)) {
        put(members, &[owner, key], value);
    } else if let Some(name) = nearest(&key, known.iter().copied().filter(free)) {
        members.insert(name.to_owned(), value);
    } else if let Some(outer) = outer(repair.schema, parent, &key) {
        if let Some(Value::Object(members)) = value_at(&mut repair.call, outer) {
            members.entry(key).or_insert(value);
        }
    } else if let Some(name) = schema.and_then(|schema| only_missing(schema, &key, members, &value)) {
        members.insert(name, value);
    }
}

/// The object and the key: by the pointer, or the first object that has the key without being allowed to.
fn place(repair: &Repair<'_>, at: &At) -> Option<(Vec<String>, String)> {
    match at {
        At::Pointer(pointer) => {
            let mut path = tokens(pointer);
            let key = path.pop()?;
            Some((path, key))
        }
        At::Name(key) => {
            let mut places = places(&repair.call, Some(repair.schema)).into_iter();
            let place = places.find(|place| {
                let has = place.value.as_object().is_some_and(|members| members.contains_key(key));
                has && place.schema.is_some_and(|schema| !schema.names().contains(&key.as_str()))
            })?;
            Some((place.path, key.clone()))
        }
        At::Value(_) | At::Untold => None,
    }
}

/// The path that a key spells out, `shape.kind` or `to[0]`, where it begins with a name.
pub(super) fn dotted(key: &str, names: &[&str]) -> Option<Vec<String>> {
    let parts: Vec<String> =
        key.split(['.', '[', ']', '/']).filter(|part| !part.is_empty()).map(str::to_owned).collect();
    (parts.len() > 1 && names.contains(&parts.first()?.as_str())).then_some(parts)
}

/// Puts a value under a path; objects and lists on the way are made.
pub(super) fn put(members: &mut Map<String, Value>, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else { return };
    let Some(next) = rest.first() else {
        members.insert(first.clone(), value);
        return;
    };
    if next.parse::<usize>().is_ok() {
        let list = members.entry(first.clone()).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(items) = list {
            items.push(value);
        }
        return;
    }
    let inner = members.entry(first.clone()).or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(inner) = inner {
        put(inner, rest, value);
    }
}

/// The members of an object, also of one in a text, that has a name of what it stands in.
pub(super) fn wrapped(value: &Value, names: &[&str]) -> Option<Map<String, Value>> {
    let members = match value {
        Value::Object(members) => members.clone(),
        Value::String(text) => serde_json::from_str(text).ok()?,
        _ => return None,
    };
    members.keys().any(|key| names.contains(&key.as_str())).then_some(members)
}

/// Adds members; those that are there stay.
pub(super) fn spread(members: &mut Map<String, Value>, inner: Map<String, Value>) {
    for (key, value) in inner {
        members.entry(key).or_insert(value);
    }
}

/// The nearest object around it that has a member of this name.
fn outer<'p>(root: Schema<'_>, parent: &'p [String], key: &str) -> Option<&'p [String]> {
    let around = (0..parent.len()).rev().filter_map(|depth| parent.get(..depth));
    around.into_iter().find(|path| schema_at(root, path).is_some_and(|schema| schema.names().contains(&key)))
}

/// The member whose own members have the key.
fn owner(schema: Schema<'_>, names: &[&str], key: &str) -> Option<String> {
    let owns = |name: &&&str| {
        let member = schema.member(name);
        member.is_some_and(|member| member.wants("object") && member.names().contains(&key))
    };
    names.iter().find(owns).map(|&name| name.to_owned())
}

/// The one name that must be given and is not, where the value could stand there.
fn only_missing(
    schema: Schema<'_>,
    key: &str,
    members: &Map<String, Value>,
    value: &Value,
) -> Option<String> {
    let is_missing = |name: &&str| schema.is_required(name) && !members.contains_key(*name) && *name != key;
    let mut missing = schema.names().into_iter().filter(is_missing);
    let name = missing.next().filter(|_| missing.next().is_none())?;
    schema.members(name).iter().any(|member| member.takes(value)).then(|| name.to_owned())
}
