//! The words of `expected` and `got`: a type from its canonical schema, a value from itself. (arguments.md §10)

use serde_json::{Map, Value};

use crate::schema::form::{self, Union};

/// The most characters of a text that are repeated.
const SHOWN_CHARACTERS: usize = 40;

/// The most keys of an object that are named.
const SHOWN_KEYS: usize = 3;

/// The most characters of each, so that no text echoes more than 80 characters.
const SHOWN_KEY_CHARACTERS: usize = 24;

/// Characters of a name that a message repeats.
const SHOWN_NAME_CHARACTERS: usize = 80;

/// How many arrays, maps and alternatives a description goes into; only types that hold themselves go deeper.
const DEEPEST: usize = 8;

/// The bound that every `f32` keeps to; a caller is told of it only after exceeding it.
pub(crate) const F32_LIMIT: f64 = f32::MAX as f64;

/// The type that a schema describes, such as `integer 1..=10`. `definitions` are the root's `$defs`.
pub fn expected(schema: &Value, definitions: &Map<String, Value>) -> String {
    Describe { definitions, limits: Limits::Declared }.schema(schema, 0)
}

/// The type for an issue `range`: with the bounds of the Rust type where none are declared.
///
/// `least` and `greatest` are those of the Rust type, as serde_json prints them.
pub fn expected_range(
    schema: &Value,
    definitions: &Map<String, Value>,
    least: Option<&str>,
    greatest: Option<&str>,
) -> String {
    Describe { definitions, limits: Limits::OfType { least, greatest } }.schema(schema, 0)
}

/// How many members an object has: `object with at least 1 member`.
pub(super) fn expected_members(schema: &Value) -> String {
    let (least, greatest) = lengths(schema, "minProperties", "maxProperties");
    match length_range(least, greatest, "member") {
        Some(range) => format!("object with {range}"),
        None => "object".to_owned(),
    }
}

/// A value, its beginning where it is long.
pub fn got(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => format!("boolean {flag}"),
        Value::Number(number) => format!("{} {}", number_kind(number), number_text(number)),
        Value::String(text) => format!("string {}", beginning(text)),
        Value::Array(items) => format!("array of {}", count(items.len(), "item")),
        Value::Object(members) if members.is_empty() => "empty object".to_owned(),
        Value::Object(members) => {
            let mut keys: Vec<String> = members.keys().take(SHOWN_KEYS).map(|key| shown_key(key)).collect();
            if members.len() > SHOWN_KEYS {
                keys.push("…".to_owned());
            }
            format!("object with keys {}", keys.join(", "))
        }
    }
}

/// The type of a value that must not be shown.
pub fn got_hidden(value: &Value) -> String {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) => number_kind(number),
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    format!("{kind} (hidden)")
}

fn number_kind(number: &serde_json::Number) -> &'static str {
    if number.is_f64() { "number" } else { "integer" }
}

/// A number as JSON, without the `+` that some versions of serde_json write before an exponent.
pub fn number_text(number: &serde_json::Number) -> String {
    let text = number.to_string();
    if number.is_f64() { text.replace("e+", "e") } else { text }
}

/// A text in quotes, JSON-escaped, cut after [`SHOWN_CHARACTERS`].
fn beginning(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        None => Value::from(text).to_string(),
        Some((end, _)) => {
            let mut shown = Value::from(text.get(..end).unwrap_or_default()).to_string();
            shown.pop();
            shown.push_str("…\"");
            shown
        }
    }
}

/// A name or pattern as it came, as far as messages repeat what nobody has: 80 characters.
pub fn shown_name(name: &str) -> &str {
    name.char_indices()
        .nth(SHOWN_NAME_CHARACTERS)
        .map_or(name, |(end, _)| name.get(..end).unwrap_or_default())
}

/// A key as it came, cut after [`SHOWN_KEY_CHARACTERS`].
fn shown_key(key: &str) -> String {
    match key.char_indices().nth(SHOWN_KEY_CHARACTERS) {
        None => key.to_owned(),
        Some((end, _)) => format!("{}…", key.get(..end).unwrap_or_default()),
    }
}

/// Which bounds of a number are told.
#[derive(Clone, Copy)]
enum Limits<'a> {
    Declared,
    OfType { least: Option<&'a str>, greatest: Option<&'a str> },
}

struct Describe<'a> {
    definitions: &'a Map<String, Value>,
    limits: Limits<'a>,
}

impl Describe<'_> {
    /// `level` counts the arrays and maps around a schema, so that a list of itself comes to an end.
    fn schema(&self, schema: &Value, level: usize) -> String {
        let schema =
            form::resolve(form::without_null(form::resolve(schema, self.definitions)), self.definitions);
        if let Some(union) = form::union(schema, self.definitions) {
            return self.union(&union, level);
        }
        if let Some(choices) = choices(schema) {
            return choices;
        }
        if let Some(Value::Array(parts)) = schema.get("allOf")
            && let Some(part) = parts.iter().find(|part| form::types(part).next().is_some())
        {
            return self.schema(part, level);
        }
        let named: Vec<String> =
            form::types(schema).map(|name| self.named_type(name, schema, level)).collect();
        match named.is_empty() {
            false => named.join(" or "),
            true => {
                untyped(schema).map_or_else(|| ANY.to_owned(), |name| self.named_type(name, schema, level))
            }
        }
    }

    fn named_type(&self, name: &str, schema: &Value, level: usize) -> String {
        match name {
            "integer" | "number" => self.number(name, schema),
            "string" => string(schema),
            "array" => self.array(schema, level),
            "object" => self.object(schema, level),
            other => other.to_owned(),
        }
    }

    fn number(&self, name: &str, schema: &Value) -> String {
        let bounds = Bounds::of(schema, self.limits);
        match (bounds.least, bounds.greatest) {
            (None, None) => name.to_owned(),
            (Some((least, true)), Some((greatest, true))) => format!("{name} {least}..={greatest}"),
            (Some((least, true)), Some((below, false))) => format!("{name} {least}..{below}"),
            (Some((above, false)), Some((greatest, inclusive))) => {
                let word = if inclusive { "at most" } else { "less than" };
                format!("{name} of more than {above} and {word} {greatest}")
            }
            (Some((least, true)), None) => format!("{name} of at least {least}"),
            (Some((above, false)), None) => format!("{name} of more than {above}"),
            (None, Some((greatest, true))) => format!("{name} of at most {greatest}"),
            (None, Some((below, false))) => format!("{name} of less than {below}"),
        }
    }

    fn array(&self, schema: &Value, level: usize) -> String {
        let (least, greatest) = lengths(schema, "minItems", "maxItems");
        if let (Some(least), Some(greatest)) = (least, greatest)
            && least == greatest
        {
            return format!("array of {}", count(least, "item"));
        }
        let distinct = if schema.get("uniqueItems") == Some(&Value::Bool(true)) { "distinct " } else { "" };
        let mut text = match schema.get("items") {
            _ if level >= DEEPEST => "array".to_owned(),
            None | Some(Value::Bool(_)) => format!("array of {distinct}{ANY}"),
            Some(items) => format!("array of {distinct}{}", self.schema(items, level + 1)),
        };
        if let Some(range) = length_range(least, greatest, "item") {
            text.push_str(" with ");
            text.push_str(&range);
        }
        text
    }

    fn object(&self, schema: &Value, level: usize) -> String {
        if schema.get("properties").is_some() || level >= DEEPEST {
            return "object".to_owned();
        }
        let by_pattern = || match schema.get("patternProperties").and_then(Value::as_object) {
            Some(patterns) if patterns.len() == 1 => patterns.values().next(),
            _ => None,
        };
        let values =
            schema.get("additionalProperties").filter(|values| values.is_object()).or_else(by_pattern);
        let mut text = match values {
            Some(values) => format!("object of {}", self.schema(values, level + 1)),
            None => "object".to_owned(),
        };
        let (least, greatest) = lengths(schema, "minProperties", "maxProperties");
        if let Some(range) = length_range(least, greatest, "member") {
            text.push_str(" with ");
            text.push_str(&range);
        }
        text
    }

    fn union(&self, union: &Union<'_>, level: usize) -> String {
        match union {
            Union::Tagged { tag, .. } => format!("object with {}", Value::from(*tag)),
            Union::External { cases } => {
                let cases = cases.iter().map(|(name, content)| match content {
                    None => Value::from(*name).to_string(),
                    Some(_) => format!("{{{}: …}}", Value::from(*name)),
                });
                format!("one of {}", cases.collect::<Vec<_>>().join(", "))
            }
            Union::Untagged { .. } if level >= DEEPEST => ANY.to_owned(),
            Union::Untagged { cases } => {
                let cases: Vec<String> = cases.iter().map(|case| self.schema(case, level + 1)).collect();
                cases.join(" or ")
            }
        }
    }
}

const ANY: &str = "any JSON value";

/// `one of "a", "b"`, null left out, for a closed list of values.
fn choices(schema: &Value) -> Option<String> {
    let values: Vec<&Value> = match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => vec![value],
        (None, Some(Value::Array(values))) => values.iter().filter(|value| !value.is_null()).collect(),
        _ => return None,
    };
    let values: Vec<String> = values.into_iter().map(Value::to_string).collect();
    Some(format!("one of {}", values.join(", ")))
}

/// The type that the keywords of a schema without `type` speak of.
fn untyped(schema: &Value) -> Option<&'static str> {
    const SPEAKING: [(&str, &str); 4] = [
        ("properties", "object"),
        ("additionalProperties", "object"),
        ("items", "array"),
        ("prefixItems", "array"),
    ];
    SPEAKING.iter().find(|(keyword, _)| schema.get(keyword).is_some()).map(|(_, name)| *name)
}

fn string(schema: &Value) -> String {
    let (least, greatest) = lengths(schema, "minLength", "maxLength");
    let mut text = "string".to_owned();
    if let Some(range) = length_range(least, greatest, "character") {
        text.push_str(" of ");
        text.push_str(&range);
    }
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        text.push_str(" matching ");
        text.push_str(pattern);
    }
    text
}

/// The least (where it is more than 0) and greatest length.
fn lengths(schema: &Value, least: &str, greatest: &str) -> (Option<u64>, Option<u64>) {
    let read = |keyword| schema.get(keyword).and_then(Value::as_u64);
    (read(least).filter(|least| *least > 0), read(greatest))
}

fn length_range(least: Option<u64>, greatest: Option<u64>, unit: &str) -> Option<String> {
    match (least, greatest) {
        (None, None) => None,
        (Some(least), Some(greatest)) if least == greatest => Some(count(least, unit)),
        (Some(least), Some(greatest)) => Some(format!("{least}..={greatest} {unit}s")),
        (Some(least), None) => Some(format!("at least {}", count(least, unit))),
        (None, Some(greatest)) => Some(format!("at most {}", count(greatest, unit))),
    }
}

fn count(number: impl Copy + std::fmt::Display + TryInto<u64>, unit: &str) -> String {
    match number.try_into() {
        Ok(1) => format!("{number} {unit}"),
        _ => format!("{number} {unit}s"),
    }
}

/// The bounds of a number as texts, each with whether it is inside.
struct Bounds {
    least: Option<(String, bool)>,
    greatest: Option<(String, bool)>,
}

impl Bounds {
    fn of(schema: &Value, limits: Limits<'_>) -> Bounds {
        let bound = |inclusive: &str, exclusive: &str, of_type: Option<&str>| {
            let told = |bound: &&Value| matches!(limits, Limits::OfType { .. }) || !is_f32_limit(bound);
            let text = |bound: &Value| bound.as_number().map(number_text);
            let inside = schema.get(inclusive).filter(told).and_then(text).map(|bound| (bound, true));
            let outside = || schema.get(exclusive).and_then(text).map(|bound| (bound, false));
            inside.or_else(outside).or_else(|| of_type.map(|bound| (bound.to_owned(), true)))
        };
        let (least, greatest) = match limits {
            Limits::Declared => (None, None),
            Limits::OfType { least, greatest } => (least, greatest),
        };
        Bounds {
            least: bound("minimum", "exclusiveMinimum", least),
            greatest: bound("maximum", "exclusiveMaximum", greatest),
        }
    }
}

fn is_f32_limit(bound: &Value) -> bool {
    bound.is_f64() && bound.as_f64().is_some_and(|bound| bound.abs() == F32_LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(schema: Value) -> String {
        let definitions = schema.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
        expected(&schema, &definitions)
    }

    #[test]
    fn numbers_read_with_their_bounds() {
        assert_eq!(of(json!({"type": "integer"})), "integer");
        assert_eq!(of(json!({"type": "integer", "minimum": 1, "maximum": 10})), "integer 1..=10");
        assert_eq!(of(json!({"type": "integer", "minimum": 1})), "integer of at least 1");
        assert_eq!(of(json!({"type": ["integer", "null"], "maximum": 9})), "integer of at most 9");
        assert_eq!(of(json!({"type": "number", "minimum": 0.5, "exclusiveMaximum": 1})), "number 0.5..1");
    }

    #[test]
    fn limits_of_the_type_are_told_only_for_range() {
        let float = json!({"type": "number", "minimum": -F32_LIMIT, "maximum": F32_LIMIT});
        assert_eq!(of(float.clone()), "number");
        assert_eq!(
            expected_range(&float, &Map::new(), None, None),
            "number -3.4028234663852886e38..=3.4028234663852886e38"
        );
        let wide = json!({"type": "integer", "minimum": 0});
        assert_eq!(
            expected_range(&wide, &Map::new(), Some("0"), Some("18446744073709551615")),
            "integer 0..=18446744073709551615"
        );
    }

    #[test]
    fn texts_read_with_their_length_and_pattern() {
        assert_eq!(of(json!({"type": "string"})), "string");
        assert_eq!(
            of(json!({"type": "string", "minLength": 1, "maxLength": 64})),
            "string of 1..=64 characters"
        );
        assert_eq!(of(json!({"type": "string", "minLength": 1})), "string of at least 1 character");
        assert_eq!(of(json!({"type": "string", "minLength": 0})), "string");
        assert_eq!(of(json!({"type": "string", "maxLength": 9})), "string of at most 9 characters");
        assert_eq!(
            of(json!({"type": "string", "minLength": 6, "maxLength": 6, "pattern": "^a"})),
            "string of 6 characters matching ^a"
        );
        assert_eq!(of(json!({"type": ["string", "null"], "enum": ["a", "b", null]})), "one of \"a\", \"b\"");
        assert_eq!(of(json!({"type": "string", "const": "a"})), "one of \"a\"");
    }

    #[test]
    fn collections_read_with_what_they_hold() {
        let text = json!({"type": "string"});
        assert_eq!(of(json!({"type": "array", "items": text})), "array of string");
        assert_eq!(
            of(json!({"type": "array", "items": text, "uniqueItems": true, "minItems": 1, "maxItems": 5})),
            "array of distinct string with 1..=5 items"
        );
        assert_eq!(
            of(json!({"type": "array", "items": text, "minItems": 2, "maxItems": 2})),
            "array of 2 items"
        );
        assert_eq!(of(json!({"type": "object", "properties": {}})), "object");
        assert_eq!(of(json!({"type": "object", "additionalProperties": text})), "object of string");
        assert_eq!(
            of(
                json!({"type": "object", "additionalProperties": false, "patternProperties": {"^\\d+$": text}})
            ),
            "object of string"
        );
        let patterns = json!({"^a": text, "^b": {"type": "integer"}});
        assert_eq!(of(json!({"type": "object", "patternProperties": patterns})), "object");
        let fields = json!({"a": text});
        assert_eq!(of(json!({"type": "object", "properties": fields, "minProperties": 1})), "object");
        assert_eq!(of(json!({"properties": fields})), "object");
        assert_eq!(of(json!({"additionalProperties": text})), "object of string");
        assert_eq!(of(json!({"items": text})), "array of string");
        assert_eq!(of(json!({})), "any JSON value");
    }

    #[test]
    fn unions_read_by_their_tagging() {
        let tagged =
            |name: &str| json!({"type": "object", "properties": {"t": {"const": name}}, "required": ["t"]});
        assert_eq!(of(json!({"oneOf": [tagged("a"), tagged("b")]})), "object with \"t\"");
        assert_eq!(of(json!({"anyOf": [{"oneOf": [tagged("a")]}, {"type": "null"}]})), "object with \"t\"");
        let data = json!({"properties": {"r": {}}, "required": ["r"], "additionalProperties": false});
        assert_eq!(of(json!({"oneOf": [{"const": "i"}, data]})), "one of \"i\", {\"r\": …}");
        assert_eq!(of(json!({"anyOf": [{"type": "integer"}, {"type": "boolean"}]})), "integer or boolean");
    }

    #[test]
    fn what_holds_itself_comes_to_an_end() {
        let itself = json!({"$ref": "#/$defs/L"});
        for (schema, start) in [
            (json!({"type": "array", "items": itself}), "array of array of "),
            (json!({"type": "object", "additionalProperties": itself}), "object of object of "),
            (json!({"anyOf": [{"type": "integer"}, itself]}), "integer or integer or "),
        ] {
            let text = of(json!({"$ref": "#/$defs/L", "$defs": {"L": schema}}));
            assert!(text.starts_with(start) && text.len() < 200, "{text}");
        }
    }

    #[test]
    fn values_show_their_beginning() {
        assert_eq!(got(&json!(null)), "null");
        assert_eq!(got(&json!(true)), "boolean true");
        assert_eq!(got(&json!(5)), "integer 5");
        assert_eq!(got(&json!(1e16)), "number 1e16");
        assert_eq!(got(&json!("a\"\n")), "string \"a\\\"\\n\"");
        assert_eq!(got(&json!("é".repeat(40))), format!("string \"{}\"", "é".repeat(40)));
        assert_eq!(got(&json!("é".repeat(41))), format!("string \"{}…\"", "é".repeat(40)));
        assert_eq!(got(&json!([1])), "array of 1 item");
        assert_eq!(got(&json!([])), "array of 0 items");
        assert_eq!(got(&json!({})), "empty object");
        assert_eq!(got(&json!({"a": 1, "b": 1, "c": 1})), "object with keys a, b, c");
        assert_eq!(got(&json!({"a": 1, "b": 1, "c": 1, "d": 1})), "object with keys a, b, c, …");
        assert!(got(&json!({"k".repeat(1000): 1})).chars().count() < 80);
    }

    #[test]
    fn a_hidden_value_shows_only_its_type() {
        assert_eq!(got_hidden(&json!("hunter2")), "string (hidden)");
        assert_eq!(got_hidden(&json!(5)), "integer (hidden)");
        assert_eq!(got_hidden(&json!({"a": 1})), "object (hidden)");
    }
}
