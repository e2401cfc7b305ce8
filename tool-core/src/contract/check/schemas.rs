//! Schemas: what accepts nothing, or anything, or more than callers can write, and how large they are.

use serde_json::{Map, Value};

use super::places::Role;
use super::{Hit, Place, Subject};
use crate::args::compiles;
use crate::registry::{ProblemCode, input_fault};
use crate::schema::form::{Union, union};

/// The most levels of objects and lists.
const DEEP: usize = 5;

/// The most bytes of a schema.
const LARGE: usize = 8 * 1024;

/// The greatest integer that every JSON parser keeps: 2⁵³ − 1. (RFC 8259 §6)
const SAFE: f64 = 9_007_199_254_740_991.0;

/// The code of a schema that accepts nothing.
const FALSE: &str = "schema_false";

pub(super) fn pattern_invalid(place: &Place<'_>) -> Option<String> {
    let pattern = patterns(place).find(|pattern| !compiles(pattern))?;
    Some(format!(
        "the pattern `{pattern}` does not compile; look-around and back-references are not supported"
    ))
}

/// The patterns of texts and of keys.
pub(super) fn patterns<'a>(place: &Place<'a>) -> impl Iterator<Item = &'a str> {
    let of_keys = place.schema.get("patternProperties").and_then(Value::as_object);
    place
        .text("pattern")
        .into_iter()
        .chain(of_keys.into_iter().flat_map(|of_keys| of_keys.keys().map(String::as_str)))
}

pub(super) fn enum_case(place: &Place<'_>) -> Option<String> {
    let mut cases: Vec<&str> = match place.schema.get("enum") {
        Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let whole = Value::Object(place.schema.clone());
    match union(&whole, place.definitions) {
        Some(Union::Tagged { cases: tagged, .. }) => cases.extend(tagged.iter().map(|case| case.0)),
        Some(Union::External { cases: named }) => cases.extend(named.iter().map(|case| case.0)),
        Some(Union::Untagged { .. }) | None => {}
    }
    let pairs = cases.iter().enumerate().flat_map(|(i, a)| cases.iter().skip(i + 1).map(move |b| (*a, *b)));
    let (a, b) = { pairs }.find(|(a, b)| a != b && a.to_lowercase() == b.to_lowercase())?;
    Some(format!("the cases \"{a}\" and \"{b}\" differ in case only"))
}

pub(super) fn schema_false(subject: &Subject<'_>) -> Vec<Hit> {
    let problem = subject.def().input_problem().filter(|problem| problem.code == FALSE);
    let of_type =
        problem.map(|problem| Hit::of_tool(format!("the schema accepts nothing at `{}`", problem.pointer)));
    let of_places = subject.places().iter().filter_map(|place| {
        let why = accepts_nothing(place.schema)?;
        Some(Hit::at(&place.path, format!("no value fits: {why}")))
    });
    of_type.into_iter().chain(of_places).collect()
}

/// Bounds that can cross, each lower one with the upper one.
const BOUNDS: [(&str, &str); 7] = [
    ("minimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
];

fn accepts_nothing(schema: &Map<String, Value>) -> Option<String> {
    if let Some(keyword) = ["enum", "type", "anyOf", "oneOf"]
        .into_iter()
        .find(|keyword| schema.get(*keyword).and_then(Value::as_array).is_some_and(Vec::is_empty))
    {
        return Some(format!("`{keyword}` is empty"));
    }
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    BOUNDS.into_iter().find_map(|(lower, upper)| {
        let (least, greatest) = (bound(lower)?, bound(upper)?);
        let open = lower.starts_with("exclusive") || upper.starts_with("exclusive");
        (least > greatest || open && least == greatest)
            .then(|| format!("`{lower}` and `{upper}` leave nothing"))
    })
}

pub(super) fn schema_not_canonical(subject: &Subject<'_>) -> Vec<Hit> {
    let def = subject.def();
    let problem = def.input_problem().filter(|problem| problem.code != FALSE).map(ToString::to_string);
    let fault = def.input.and_then(input_fault);
    let fault = fault.filter(|(code, _, _)| *code != ProblemCode::SchemaFalse);
    let text = problem.or_else(|| fault.map(|(_, pointer, text)| format!("`{pointer}`: {text}")));
    text.map(|text| Hit::of_tool(format!("the input schema is not valid at {text}"))).into_iter().collect()
}

/// Keywords that say what a value is.
const TELLING: [&str; 7] = ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"];

pub(super) fn any_value(place: &Place<'_>) -> Option<String> {
    let has = |keyword: &str| place.schema.contains_key(keyword);
    let others = place.schema.get("additionalProperties");
    let open = others == Some(&Value::Bool(true)) || others.is_none() && place.role != Role::Root;
    let shapeless = place.is_of("object")
        && place.schema.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty)
        && open
        && !["patternProperties", "anyOf", "oneOf", "allOf", "$ref", "enum", "const"].into_iter().any(has);
    if place.role == Role::Part {
        None
    } else if is_any(place.schema) {
        Some("any value is accepted: give it a type".to_owned())
    } else if shapeless {
        Some("any object is accepted: name its properties, or the type of its values".to_owned())
    } else if place.is_of("array") && !has("items") && !has("prefixItems") && !has("enum") && !has("const") {
        Some("items of any type are accepted: give them one".to_owned())
    } else {
        None
    }
}

/// Whether a schema says nothing of its values.
pub(super) fn is_any(schema: &Map<String, Value>) -> bool {
    !TELLING.into_iter().any(|keyword| schema.contains_key(keyword))
}

pub(super) fn bytes_as_list(place: &Place<'_>) -> Option<String> {
    let items = place.schema.get("items").filter(|_| place.is_of("array"))?;
    let bound = |keyword: &str| items.get(keyword).and_then(Value::as_i64);
    let bytes =
        items.get("type")? == "integer" && bound("minimum") == Some(0) && bound("maximum") == Some(255);
    bytes.then(|| "bytes as a list of numbers: take base64 text".to_owned())
}

pub(super) fn int_53_bits(place: &Place<'_>) -> Option<String> {
    let listed = place.schema.contains_key("enum") || place.schema.contains_key("const");
    let bound = |inclusive, exclusive| {
        let value = |keyword: &str| place.schema.get(keyword).and_then(Value::as_f64);
        value(inclusive).or_else(|| value(exclusive)).is_some_and(|value| value.abs() <= SAFE)
    };
    let bounded = || bound("minimum", "exclusiveMinimum") && bound("maximum", "exclusiveMaximum");
    let wide = place.is_of("integer") && !listed && place.role != Role::Part && !bounded();
    wide.then(|| "integers beyond ±(2^53 − 1) lose digits on the way: give it a range".to_owned())
}

pub(super) fn nesting_deep(place: &Place<'_>) -> Option<String> {
    let container = place.is_of("object") || place.is_of("array");
    // The first level that is too many is told, not those below it.
    (container && place.level == DEEP && place.role != Role::Part)
        .then(|| format!("more than {DEEP} levels of objects and lists"))
}

pub(super) fn schema_large(subject: &Subject<'_>) -> Vec<Hit> {
    let bytes = subject.shown().map_or(0, |schema| schema.to_string().len());
    let text = || format!("the input schema has {bytes} bytes; keep it to {LARGE}");
    (bytes > LARGE).then(|| Hit::of_tool(text())).into_iter().collect()
}
