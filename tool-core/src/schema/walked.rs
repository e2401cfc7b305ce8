//! Whether a value of a type must be walked along its schema after its Rust type has accepted it. (arguments.md §7, §9)

use serde_json::{Map, Value};

use super::form;
use super::position::each_child;
use super::reference::definition_name;
use super::scalar::are_bounds_of_a_type;

/// The assertions that no Rust type of a derived schema keeps to by itself.
const ASSERTIONS: [&str; 17] = [
    "pattern",
    "minLength",
    "maxLength",
    "multipleOf",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "not",
    "if",
    "allOf",
    "const",
];

/// Whether a canonical schema holds an assertion that its Rust type does not guarantee, or a union.
pub(crate) fn must_be_walked(schema: &Value, definitions: &Map<String, Value>) -> bool {
    let mut seen: Vec<String> = Vec::new();
    let mut waiting = vec![schema];
    while let Some(next) = waiting.pop() {
        let next = form::without_null(next);
        let Some(keywords) = next.as_object() else { continue };
        if asserts(keywords) {
            return true;
        }
        if let Some(name) = keywords.get("$ref").and_then(Value::as_str).and_then(definition_name)
            && let Some(definition) = definitions.get(&name)
            && !seen.contains(&name)
        {
            seen.push(name);
            waiting.push(definition);
        }
        each_child(keywords, |_, child| waiting.push(child));
    }
    false
}

fn asserts(schema: &Map<String, Value>) -> bool {
    let tuple = schema.contains_key("prefixItems");
    let items = ["minItems", "maxItems"].iter().any(|keyword| schema.contains_key(*keyword));
    let lone =
        |keyword: &str| schema.get(keyword).and_then(Value::as_array).is_some_and(|list| list.len() == 1);
    let union = schema.contains_key("oneOf") || (schema.contains_key("anyOf") && !lone("anyOf"));
    let closed_list = match schema.get("enum") {
        Some(Value::Array(values)) => !values.iter().all(|value| value.is_string() || value.is_null()),
        _ => false,
    };
    union
        || closed_list
        || (items && !tuple)
        || !are_bounds_of_a_type(schema.get("minimum"), schema.get("maximum"))
        || ASSERTIONS.iter().any(|keyword| schema.contains_key(*keyword))
}
