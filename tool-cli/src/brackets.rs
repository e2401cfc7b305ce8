//! What is known of a value, in the brackets behind the text of its option.

use serde_json::Value;

use crate::flags::Param;
use crate::kind::Kind;

/// What is known of a value, each in brackets, in the order of every page.
pub(crate) fn brackets(param: &Param) -> Vec<String> {
    let schema = crate::kind::without_null(&param.schema);
    let items = schema.get("items").filter(|_| matches!(param.kind, Kind::List(_)));
    let number = items.unwrap_or(&schema);
    let mut all = Vec::new();
    all.extend(default(param).map(|text| format!("[default: {text}]")));
    all.extend(range(number, "minimum", "maximum").map(|text| format!("[range: {text}]")));
    all.extend(range(&schema, "minLength", "maxLength").map(|text| format!("[length: {text}]")));
    all.extend(schema.get("maxItems").filter(|_| items.is_some()).map(|most| format!("[at most {most}]")));
    if matches!(param.kind, Kind::List(_) | Kind::Map(_)) && !param.positional && !param.last {
        all.push("[repeatable]".to_owned());
    }
    if param.reads_files() {
        all.push("[@FILE or - reads it]".to_owned());
    }
    all.extend(param.env.as_ref().map(|name| format!("[env: {name}]")));
    all.extend(values(number).map(|words| format!("[values: {words}]")));
    all.extend(param.deprecated.as_ref().map(|instead| format!("[deprecated: {instead}]")));
    all
}

/// A default worth showing.
fn default(param: &Param) -> Option<String> {
    match param.default()? {
        Value::Bool(_) => None,
        Value::Array(items) if items.is_empty() => None,
        Value::Object(members) if members.is_empty() => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(text) if text.contains(char::is_control) => {
            Some(Value::from(text.as_str()).to_string())
        }
        Value::String(text) => Some(text.clone()),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            Some(items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
        }
        other => Some(other.to_string()),
    }
}

/// The bounds that an author wrote; those of the integer types go without saying.
fn range(schema: &Value, least: &str, greatest: &str) -> Option<String> {
    match (schema.get(least), schema.get(greatest)) {
        (None, None) => None,
        bounds if is_type(bounds) => None,
        (Some(least), Some(greatest)) => Some(format!("{least}..={greatest}")),
        (Some(least), None) => Some(format!("{least}..")),
        (None, Some(greatest)) => Some(format!("..={greatest}")),
    }
}

/// Whether bounds are those of an integer type.
fn is_type(bounds: (Option<&Value>, Option<&Value>)) -> bool {
    let bounds = (bounds.0.and_then(Value::as_i64), bounds.1.and_then(Value::as_i64));
    INTEGERS.contains(&bounds)
}

/// The bounds that the canonical schema gives to unsigned and to short integers (arguments.md, S4).
const INTEGERS: [(Option<i64>, Option<i64>); 7] = [
    (Some(0), None),
    (Some(0), Some(u8::MAX as i64)),
    (Some(0), Some(u16::MAX as i64)),
    (Some(0), Some(u32::MAX as i64)),
    (Some(i8::MIN as i64), Some(i8::MAX as i64)),
    (Some(i16::MIN as i64), Some(i16::MAX as i64)),
    (Some(i32::MIN as i64), Some(i32::MAX as i64)),
];

fn values(schema: &Value) -> Option<String> {
    let words = words(schema);
    (!words.is_empty()).then(|| words.join(", "))
}

/// The words that a value is one of; none if it can be anything.
pub(crate) fn choices(param: &Param) -> Vec<String> {
    let schema = crate::kind::without_null(&param.schema);
    let items = schema.get("items").filter(|_| matches!(param.kind, Kind::List(_)));
    words(items.unwrap_or(&schema))
}

fn words(schema: &Value) -> Vec<String> {
    let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    values.filter(|value| !value.is_null()).map(word).collect()
}
