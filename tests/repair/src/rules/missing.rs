//! A name that must be given and is not: found elsewhere in the call, or said.

use serde_json::{Map, Value};

use super::unknown::{dotted, put, spread, wrapped};
use crate::complaint::At;
use crate::mend::Repair;
use crate::nearest::nearest;
use crate::place::{Found, of_missing, places, schema_at, value_at};
use crate::schema::Schema;

pub(crate) fn follow(repair: &mut Repair<'_>, at: &At, inside: &[String]) {
    let Some((parent, name)) = of_missing(at, &repair.call, repair.schema) else { return };
    let path: Vec<String> = parent.iter().cloned().chain([name.clone()]).collect();
    let meant = meant(repair.meant, &path);
    let Some(schema) = schema_at(repair.schema, &parent) else { return };
    let elsewhere = elsewhere(repair, &name);
    let Some(Value::Object(members)) = value_at(&mut repair.call, &parent) else { return };
    if members.contains_key(&name) {
        return;
    }
    if gather(schema, members, &name, inside) || rename(schema, members, &name) {
        return;
    }
    if let Some(found) = elsewhere {
        let moved = take(&mut repair.call, &found);
        if let (Some(value), Some(Value::Object(members))) = (moved, value_at(&mut repair.call, &parent)) {
            members.insert(name, value);
        }
        return;
    }
    if let Some(meant) = meant {
        members.insert(name, meant);
    }
}

/// What was meant for a place.
pub(super) fn meant(meant: &Value, path: &[String]) -> Option<Value> {
    let found = path.iter().try_fold(meant, |value, token| match value {
        Value::Array(items) => items.get(token.parse::<usize>().ok()?),
        value => value.get(token),
    });
    found.cloned()
}

/// Keys beside it that the schema does not have: as the members that belong inside, as dotted paths, or all in an object
/// that should not be there.
fn gather(schema: Schema<'_>, members: &mut Map<String, Value>, name: &str, inside: &[String]) -> bool {
    let strangers = strangers(schema, members);
    let own = schema.members(name);
    let belongs = |key: &&String| {
        inside.contains(key) || own.iter().any(|member| member.names().contains(&key.as_str()))
    };
    let fields: Vec<String> = strangers.iter().filter(belongs).cloned().collect();
    if !fields.is_empty() {
        for key in fields {
            if let Some(value) = members.shift_remove(&key) {
                put(members, &[name.to_owned(), key], value);
            }
        }
        return true;
    }
    let paths: Vec<(String, Vec<String>)> =
        strangers.iter().filter_map(|key| Some((key.clone(), dotted(key, &[name])?))).collect();
    if !paths.is_empty() {
        for (key, path) in paths {
            if let Some(value) = members.shift_remove(&key) {
                put(members, &path, value);
            }
        }
        return true;
    }
    let names = schema.names();
    let around = |key: &String| Some((key.clone(), wrapped(members.get(key)?, &names)?));
    let around = strangers.iter().find_map(around).filter(|(_, inner)| inner.contains_key(name));
    if let Some((key, inner)) = around {
        members.shift_remove(&key);
        spread(members, inner);
        return true;
    }
    false
}

/// A key beside it that is another spelling, or the only one that the schema does not have and that could be it.
fn rename(schema: Schema<'_>, members: &mut Map<String, Value>, name: &str) -> bool {
    let strangers = strangers(schema, members);
    let spelt = strangers.iter().find(|key| nearest(key, [name]).is_some());
    let fits = |key: &&String| {
        let own = schema.members(name);
        members.get(*key).is_some_and(|value| own.iter().any(|member| member.takes(value)))
    };
    let only = match strangers.as_slice() {
        [one] => Some(one).filter(fits),
        _ => None,
    };
    let Some(value) = spelt.or(only).and_then(|key| members.shift_remove(key)) else { return false };
    members.insert(name.to_owned(), value);
    true
}

/// The keys of an object that its schema does not have.
fn strangers(schema: Schema<'_>, members: &Map<String, Value>) -> Vec<String> {
    let names = schema.names();
    members.keys().filter(|key| !names.contains(&key.as_str())).cloned().collect()
}

/// A place of the call that has this name without being allowed to.
fn elsewhere(repair: &Repair<'_>, name: &str) -> Option<Vec<String>> {
    let mut places = places(&repair.call, Some(repair.schema)).into_iter();
    let is_stray =
        |place: &Found<'_, '_>| place.schema.is_none() && place.path.last().is_some_and(|last| last == name);
    places.find(is_stray).map(|place| place.path)
}

/// Takes a value out of the call.
fn take(call: &mut Value, path: &[String]) -> Option<Value> {
    let (name, parent) = path.split_last()?;
    value_at(call, parent)?.as_object_mut()?.shift_remove(name)
}
