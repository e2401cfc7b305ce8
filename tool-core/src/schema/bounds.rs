//! A parameter's bounds as keywords of its schema: through options, and on each item of a list.

use std::cmp::Ordering;

use serde_json::{Map, Value, json};

use super::scalar::{is_known_format, names_type};
use crate::def::{Bounds, Number, ParamDef, Range};

/// Writes `range`, `len`, `item_len`, `pattern`, `choices` and `format` of a parameter into its schema.
///
/// Where the type has a bound already, the tighter one holds.
pub(crate) fn bound(schema: &mut Map<String, Value>, param: &ParamDef<'_>) {
    besides_null(schema, |value| {
        for (kind, least, greatest) in LENGTHS {
            if names_type(value, kind) {
                length(value, param.keys.bounds.len, least, greatest);
            }
        }
        match value.get_mut("items") {
            Some(Value::Object(items)) => besides_null(items, |item| {
                scalar(item, &param.keys.bounds, param.keys.format);
                if names_type(item, "string") {
                    length(item, param.keys.bounds.item_len, "minLength", "maxLength");
                }
            }),
            _ => scalar(value, &param.keys.bounds, param.keys.format),
        }
    });
}

/// The types that have a length, with the keywords for it.
const LENGTHS: [(&str, &str, &str); 3] = [
    ("string", "minLength", "maxLength"),
    ("array", "minItems", "maxItems"),
    ("object", "minProperties", "maxProperties"),
];

/// Changes the one alternative besides null, or the schema itself.
fn besides_null(schema: &mut Map<String, Value>, change: impl FnOnce(&mut Map<String, Value>)) {
    let is_null = |branch: &Value| branch.get("type").is_some_and(|kind| kind == "null");
    let other = match schema.get("anyOf") {
        Some(Value::Array(branches)) if branches.len() == 2 && branches.iter().any(is_null) => {
            branches.iter().position(|branch| !is_null(branch))
        }
        _ => None,
    };
    match other.and_then(|at| schema.get_mut("anyOf")?.get_mut(at)?.as_object_mut()) {
        Some(branch) => change(branch),
        None => change(schema),
    }
}

/// The bounds of one number or text.
fn scalar(schema: &mut Map<String, Value>, bounds: &Bounds<'_>, format: Option<&str>) {
    if names_type(schema, "integer") || names_type(schema, "number") {
        number(schema, "minimum", bounds.min, Ordering::Greater);
        match bounds.max_exclusive {
            false => number(schema, "maximum", bounds.max, Ordering::Less),
            true => exclusive_maximum(schema, bounds.max),
        }
    }
    if names_type(schema, "string") {
        if let Some(pattern) = bounds.pattern {
            schema.insert("pattern".to_owned(), json!(pattern));
        }
        if let Some(format) = format.filter(|format| is_known_format(format)) {
            schema.insert("format".to_owned(), json!(format));
        }
        if !bounds.choices.is_empty() {
            let null = names_type(schema, "null").then_some(Value::Null);
            let choices = bounds.choices.iter().map(|choice| json!(choice)).chain(null);
            schema.insert("enum".to_owned(), choices.collect());
        }
    }
}

fn length(schema: &mut Map<String, Value>, range: Range, least: &str, greatest: &str) {
    let known =
        |keyword: &str| schema.get(keyword).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    let min = range.min.max(known(least).unwrap_or(0));
    let max = match (range.max, known(greatest)) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    if min > 0 {
        schema.insert(least.to_owned(), json!(min));
    }
    if let Some(max) = max {
        schema.insert(greatest.to_owned(), json!(max));
    }
}

/// Sets a bound, unless the type's own is tighter: compares to it as `tighter`.
fn number(schema: &mut Map<String, Value>, keyword: &str, bound: Option<Number>, tighter: Ordering) {
    let Some(bound) = bound.and_then(to_json) else { return };
    if schema.get(keyword).is_none_or(|own| compare(own, &bound) != Some(tighter)) {
        schema.insert(keyword.to_owned(), bound);
    }
}

fn exclusive_maximum(schema: &mut Map<String, Value>, bound: Option<Number>) {
    let Some(bound) = bound.and_then(to_json) else { return };
    match schema.get("maximum").map(|own| compare(own, &bound)) {
        Some(Some(Ordering::Less)) => {}
        _ => {
            schema.remove("maximum");
            schema.insert("exclusiveMaximum".to_owned(), bound);
        }
    }
}

fn to_json(number: Number) -> Option<Value> {
    match number {
        Number::Int(integer) => {
            i64::try_from(integer).map(Value::from).or_else(|_| u64::try_from(integer).map(Value::from)).ok()
        }
        Number::Float(float) => serde_json::Number::from_f64(float).map(Value::Number),
    }
}

fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    let integer = |value: &Value| value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}
