//! Which schemas say more than the decoder by type can check: unions, and assertions that the Rust type does not guarantee.
//!
//! It reads the schema as schemars writes it, where a format still tells which integer type there is. (arguments.md §7)

use serde_json::{Map, Value};

/// Keywords that no Rust type guarantees.
const ASSERTIONS: [&str; 23] = [
    "minLength",
    "maxLength",
    "pattern",
    "uniqueItems",
    "multipleOf",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minProperties",
    "maxProperties",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "contains",
    "minContains",
    "maxContains",
    "not",
    "if",
    "then",
    "else",
    "allOf",
    "unevaluatedProperties",
    "unevaluatedItems",
];

/// Whether a schema, or one inside it, needs the decoder by schema even where the type accepts a value.
pub(crate) fn is_guarded(schema: &Value) -> bool {
    let Value::Object(keywords) = schema else { return false };
    ASSERTIONS.iter().any(|keyword| keywords.contains_key(*keyword))
        || keywords.contains_key("x-keep-null")
        || has_bounds(keywords)
        || has_counts(keywords)
        || is_union(keywords)
        || requires_null(keywords)
        || children(keywords).any(is_guarded)
}

/// The schemas inside a schema, definitions included.
fn children(keywords: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    const SINGLE: [&str; 3] = ["items", "additionalProperties", "contains"];
    const LISTS: [&str; 3] = ["anyOf", "oneOf", "prefixItems"];
    const MAPS: [&str; 2] = ["properties", "$defs"];
    let single = SINGLE.iter().filter_map(|keyword| keywords.get(*keyword));
    let lists = LISTS.iter().filter_map(|keyword| keywords.get(*keyword)?.as_array()).flatten();
    let maps = MAPS.iter().filter_map(|keyword| keywords.get(*keyword)?.as_object());
    single.chain(lists).chain(maps.flat_map(|members| members.values()))
}

/// The least and greatest value of the types that a format names; none of 64 bits and wider.
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

/// Whether an array has a number of items that is not that of a tuple.
fn has_counts(keywords: &Map<String, Value>) -> bool {
    let tuple = keywords.get("prefixItems").and_then(Value::as_array).map(|items| items.len() as u64);
    let differs = |keyword: &str| {
        keywords.get(keyword).is_some_and(|count| count.as_u64().is_none() || count.as_u64() != tuple)
    };
    differs("minItems") || differs("maxItems")
}

/// Whether there are alternatives besides null and besides lone texts.
fn is_union(keywords: &Map<String, Value>) -> bool {
    let branches = keywords.get("anyOf").or_else(|| keywords.get("oneOf")).and_then(Value::as_array);
    branches.is_some_and(|branches| {
        let alternatives = branches.iter().filter(|branch| !is_null(branch) && !is_text(branch));
        let texts = branches.iter().any(is_text);
        let alternatives = alternatives.count();
        alternatives > 1 || (alternatives == 1 && texts)
    })
}

fn is_null(branch: &Value) -> bool {
    branch.get("type").is_some_and(|kind| kind == "null")
}

fn is_text(branch: &Value) -> bool {
    branch.get("const").is_some_and(Value::is_string)
        || branch.get("enum").and_then(Value::as_array).is_some_and(|values| values.iter().all(Value::is_string))
}

/// Whether a field must be given though it may be null: to serde it is any optional field.
fn requires_null(keywords: &Map<String, Value>) -> bool {
    let required = keywords.get("required").and_then(Value::as_array);
    let properties = keywords.get("properties").and_then(Value::as_object);
    let (Some(required), Some(properties)) = (required, properties) else { return false };
    required.iter().filter_map(|name| properties.get(name.as_str()?)).any(|field| {
        let by_type = field.get("type").and_then(Value::as_array);
        let by_branch = field.get("anyOf").and_then(Value::as_array);
        by_type.is_some_and(|types| types.iter().any(|kind| kind == "null"))
            || by_branch.is_some_and(|branches| branches.iter().any(is_null))
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
    }

    #[test]
    fn tuples_options_and_unit_enums_are_told_by_the_type() {
        assert!(!is_guarded(&json!({"prefixItems": [{}, {}], "minItems": 2, "maxItems": 2})));
        assert!(!is_guarded(&json!({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]})));
        assert!(!is_guarded(&json!({"oneOf": [{"const": "a"}, {"enum": ["b"]}]})));
        assert!(!is_guarded(&json!({"properties": {"pattern": {"type": "string"}}})));
    }

    #[test]
    fn unions_and_assertions_are_found_at_any_depth() {
        let list = json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true});
        let union = json!({"anyOf": [{"type": "string"}, {"type": "integer"}]});
        let external = json!({"oneOf": [{"const": "a"}, {"type": "object"}]});
        let nullable = json!({"properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]});
        for inner in [list, union, external, nullable] {
            assert!(is_guarded(&inner), "{inner}");
            assert!(is_guarded(&json!({"properties": {"a": {"items": inner}}})), "{inner}");
            assert!(is_guarded(&json!({"$ref": "#/$defs/A", "$defs": {"A": inner}})), "{inner}");
        }
    }
}
