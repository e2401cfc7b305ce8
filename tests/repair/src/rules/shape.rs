//! The same value in the form that a schema wants.

use serde_json::{Map, Value, json};

use crate::json::tidied;
use crate::nearest::nearest;
use crate::schema::Schema;

/// The words for yes and no.
const WORDS: [(&str, bool); 12] = [
    ("yes", true),
    ("y", true),
    ("on", true),
    ("1", true),
    ("enabled", true),
    ("true", true),
    ("no", false),
    ("n", false),
    ("off", false),
    ("0", false),
    ("disabled", false),
    ("false", false),
];

/// A value in the form of a schema, where it has one.
pub(crate) fn shaped(schema: Schema<'_>, value: &Value) -> Option<Value> {
    if schema.wants("array") {
        return Some(list(schema, value));
    }
    if let (true, Value::Array(items)) = (schema.wants("object"), value)
        && let Some(map) = by_key(items)
    {
        return Some(map);
    }
    // One thing for a list of one, and for an object around it.
    match value {
        Value::Array(items) if items.len() == 1 => {
            let item = items.first()?;
            return if schema.takes(item) { Some(item.clone()) } else { shaped(schema, item) };
        }
        Value::Object(members) if members.len() == 1 && !schema.wants("object") => {
            let member = members.values().next()?;
            return if schema.takes(member) { Some(member.clone()) } else { shaped(schema, member) };
        }
        _ => {}
    }
    if schema.wants("object") {
        return object(schema, value);
    }
    if schema.wants("integer") || schema.wants("number") {
        let number = match value {
            Value::String(text) => number_in(text)?,
            number => number.clone(),
        };
        return Some(if schema.wants("integer") { whole(&number)? } else { number });
    }
    if schema.wants("boolean") {
        let word = value.as_str().map_or_else(|| value.to_string(), |word| word.trim().to_lowercase());
        return WORDS.iter().find(|row| row.0 == word).map(|row| row.1.into());
    }
    match value {
        Value::Number(_) | Value::Bool(_) => Some(value.to_string().into()),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            Some(items.join(", ").into())
        }
        _ => None,
    }
}

/// The one number in a text, whatever stands around it: `20 lines`, `1,000`, `$5.50`.
pub(crate) fn number_in(text: &str) -> Option<Value> {
    let text = text.replace([',', '_'], "");
    let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-');
    let numbers: Vec<&str> =
        text.split(|c: char| !digits(c)).filter(|part| part.contains(|c: char| c.is_ascii_digit())).collect();
    let [one] = numbers.as_slice() else { return None };
    let one = one.trim_end_matches(['.', '-']).trim_start_matches('+');
    match one.parse::<i64>() {
        Ok(whole) => Some(whole.into()),
        Err(_) => Some(json!(one.parse::<f64>().ok()?)),
    }
}

/// An integer, where nothing of it is lost.
fn whole(number: &Value) -> Option<Value> {
    match number.as_f64() {
        #[allow(clippy::cast_possible_truncation, reason = "within what a double holds exactly")]
        Some(value) if value.fract() == 0.0 && value.abs() < 9e15 => Some(json!(value as i64)),
        _ => None,
    }
}

fn list(schema: Schema<'_>, value: &Value) -> Value {
    match value {
        Value::String(text) if text.trim_start().starts_with('[') => {
            tidied(text).unwrap_or_else(|| json!([value]))
        }
        Value::String(text) => {
            let parts = text.split([',', '\n', ';']).map(str::trim).filter(|part| !part.is_empty());
            parts.map(|part| Value::from(part.trim_start_matches("- "))).collect()
        }
        Value::Object(members) => match members.values().next() {
            Some(list @ Value::Array(_)) if members.len() == 1 => list.clone(),
            _ if schema.item(0).is_some_and(|item| item.wants("object")) => json!([value]),
            _ => members.values().cloned().collect(),
        },
        other => json!([other]),
    }
}

fn object(schema: Schema<'_>, value: &Value) -> Option<Value> {
    match value {
        Value::String(text) if text.trim_start().starts_with('{') => tidied(text),
        Value::String(text) => pairs(text).or_else(|| tag(schema, text)),
        Value::Object(members) => tagged(schema, members),
        Value::Array(items) => by_position(schema, items),
        _ => None,
    }
}

/// `a: 1; b: 2`, `a=1, b=2`, or one pair a line.
fn pairs(text: &str) -> Option<Value> {
    let parts = text.split(['\n', ';', ',']).map(str::trim).filter(|part| !part.is_empty());
    let pair = |part: &str| {
        let (key, value) = part.split_once(['=', ':'])?;
        Some((key.trim().to_owned(), Value::from(value.trim())))
    };
    parts.map(pair).collect::<Option<Map<String, Value>>>().filter(|map| !map.is_empty()).map(Value::Object)
}

/// A list of `{"name", "value"}` or `{"key", "value"}` as a map.
fn by_key(items: &[Value]) -> Option<Value> {
    let member = |item: &Value| {
        let key = item.get("name").or_else(|| item.get("key"))?.as_str()?;
        Some((key.to_owned(), item.get("value")?.clone()))
    };
    items
        .iter()
        .map(member)
        .collect::<Option<Map<String, Value>>>()
        .filter(|map| !map.is_empty())
        .map(Value::Object)
}

/// A list of as many values as there are members.
fn by_position(schema: Schema<'_>, items: &[Value]) -> Option<Value> {
    let names = schema.names();
    let members = || names.iter().map(|&name| name.to_owned()).zip(items.iter().cloned());
    (names.len() == items.len()).then(|| Value::Object(members().collect()))
}

/// The tag alone, where an object with that tag is wanted.
fn tag(schema: Schema<'_>, text: &str) -> Option<Value> {
    let names = schema.names();
    let choices = |name: &&str| schema.members(name).into_iter().flat_map(Schema::choices);
    let tag = names.iter().find(|name| choices(name).any(|choice| choice == text))?;
    Some(json!({ *tag: text }))
}

/// A case that is told by a member, `{"op": "insert", …}`, or under another spelling, where it must be the only key.
fn tagged(schema: Schema<'_>, members: &Map<String, Value>) -> Option<Value> {
    let cases = schema.cases();
    let names: Vec<&str> = cases.iter().filter_map(|case| case.names().first().copied()).collect();
    let of_text = |text: &Value| nearest(text.as_str()?, names.iter().copied());
    if let Some((tag, case)) = members.iter().find_map(|(key, value)| Some((key, of_text(value)?))) {
        let mut rest = members.clone();
        rest.shift_remove(tag);
        let inner = match rest.values().next() {
            Some(inner @ Value::Object(_)) if rest.len() == 1 => inner.clone(),
            _ => Value::Object(rest),
        };
        return Some(json!({ case: inner }));
    }
    let (key, value) = members.iter().next().filter(|_| members.len() == 1)?;
    let case = nearest(key, names.iter().copied())?;
    Some(json!({ case: value }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: Value, value: Value, expected: Value) {
        assert_eq!(shaped(Schema::of(&schema), &value), Some(expected), "{schema} {value}");
    }

    #[test]
    fn the_form_changes_and_the_value_does_not() {
        check(json!({"type": "integer"}), json!("1,000 lines"), json!(1000));
        check(json!({"type": "number"}), json!("21.5 °C"), json!(21.5));
        check(json!({"type": "boolean"}), json!("Yes"), json!(true));
        check(json!({"type": "string"}), json!(["one"]), json!("one"));
        check(json!({"type": "array", "items": {"type": "string"}}), json!("a, b"), json!(["a", "b"]));
        check(json!({"type": "object"}), json!("a=1"), json!({"a": "1"}));
        let cases = json!({"anyOf": [
            {"type": "object", "properties": {"insert": {}}}, {"type": "object", "properties": {"delete": {}}},
        ]});
        check(cases, json!({"op": "insert", "line": 1}), json!({"insert": {"line": 1}}));
        assert_eq!(shaped(Schema::of(&json!({"type": "integer"})), &json!("2 of 3")), None);
    }
}
