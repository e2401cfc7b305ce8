//! What a canonical schema no longer tells about a Rust type, read from the schema as schemars writes it.
//!
//! [`crate::schema::ParamSchema::walk`] finds unions and assertions. It cannot see that `minimum: 0` was written on an
//! `i64`, and to serde a field that must be given although it may be null is any optional field. (arguments.md §7)

use serde_json::{Map, Value};

/// Whether a schema, or one inside it, says more than its Rust type guarantees in one of these ways.
pub(crate) fn is_guarded(schema: &Value) -> bool {
    let Value::Object(keywords) = schema else { return false };
    keywords.contains_key("x-keep-null")
        || has_bounds(keywords)
        || requires_null(keywords)
        || children(keywords).any(is_guarded)
}

/// The schemas inside a schema, definitions included.
fn children(keywords: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    const SINGLE: [&str; 2] = ["items", "additionalProperties"];
    const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
    const MAPS: [&str; 2] = ["properties", "$defs"];
    let single = SINGLE.iter().filter_map(|keyword| keywords.get(*keyword));
    let lists = LISTS.iter().filter_map(|keyword| keywords.get(*keyword)?.as_array()).flatten();
    let maps = MAPS.iter().filter_map(|keyword| keywords.get(*keyword)?.as_object());
    single.chain(lists).chain(maps.flat_map(|members| members.values()))
}

/// The least and greatest value of the type that a format names; none of 64 bits and wider.
fn of_format(format: &str) -> (Option<i64>, Option<i64>) {
    match format {
        "int8" => (Some(-128), Some(127)),
        "uint8" => (Some(0), Some(255)),
        "int16" => (Some(-32_768), Some(32_767)),
        "uint16" => (Some(0), Some(65_535)),
        "int32" => (Some(-2_147_483_648), Some(2_147_483_647)),
        "uint32" => (Some(0), Some(4_294_967_295)),
        "uint64" | "uint128" | "uint" => (Some(0), None),
        _ => (None, None),
    }
}

/// Whether a number has a bound that is not that of its type.
fn has_bounds(keywords: &Map<String, Value>) -> bool {
    let (least, greatest) = of_format(keywords.get("format").and_then(Value::as_str).unwrap_or(""));
    let differs = |keyword: &str, own: Option<i64>| {
        keywords.get(keyword).is_some_and(|bound| bound.as_i64().is_none() || bound.as_i64() != own)
    };
    differs("minimum", least) || differs("maximum", greatest)
}

/// Whether a field must be given though it may be null.
fn requires_null(keywords: &Map<String, Value>) -> bool {
    let required = keywords.get("required").and_then(Value::as_array);
    let properties = keywords.get("properties").and_then(Value::as_object);
    let (Some(required), Some(properties)) = (required, properties) else { return false };
    required.iter().filter_map(|name| properties.get(name.as_str()?)).any(|field| {
        let by_type = field.get("type").and_then(Value::as_array);
        let by_branch = field.get("anyOf").and_then(Value::as_array);
        by_type.is_some_and(|types| types.iter().any(|kind| kind == "null"))
            || by_branch.is_some_and(|branches| branches.iter().any(crate::schema::form::is_null))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bounds_of_the_rust_type_are_guaranteed_and_others_are_not() {
        assert!(!is_guarded(&json!({"type": "integer", "format": "uint64", "minimum": 0})));
        assert!(is_guarded(&json!({"type": "integer", "format": "int64", "minimum": 0})));
        assert!(!is_guarded(&json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255})));
        assert!(is_guarded(&json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": 9})));
        assert!(is_guarded(&json!({"type": "number", "format": "double", "maximum": 0.5})));
        for (format, least, greatest) in [
            ("int8", i64::from(i8::MIN), i64::from(i8::MAX)),
            ("int16", i64::from(i16::MIN), i64::from(i16::MAX)),
            ("uint16", 0, i64::from(u16::MAX)),
            ("int32", i64::from(i32::MIN), i64::from(i32::MAX)),
            ("uint32", 0, i64::from(u32::MAX)),
        ] {
            let of =
                |least: i64, greatest: i64| json!({"format": format, "minimum": least, "maximum": greatest});
            assert!(!is_guarded(&of(least, greatest)), "{format}");
            assert!(is_guarded(&of(least + 1, greatest)), "{format}");
            assert!(is_guarded(&of(least, greatest - 1)), "{format}");
        }
    }

    #[test]
    fn they_are_found_at_any_depth() {
        let bounded = json!({"type": "integer", "format": "int64", "minimum": 0});
        let nullable = json!({"properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]});
        for inner in [bounded, nullable, json!({"x-keep-null": true})] {
            assert!(is_guarded(&inner), "{inner}");
            assert!(is_guarded(&json!({"properties": {"a": {"items": inner}}})), "{inner}");
            assert!(is_guarded(&json!({"$ref": "#/$defs/A", "$defs": {"A": inner}})), "{inner}");
        }
        assert!(!is_guarded(&json!({"properties": {"minimum": {"type": ["string", "null"]}}})));
        assert!(!is_guarded(
            &json!({"properties": {"a": {"type": ["string", "integer"]}}, "required": ["a"]})
        ));
    }
}
