//! What a change of a contract is called where its kind alone does not tell: unions, what stands beside them, recursion, and
//! keywords without a rule. (registry.md §10)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use serde_json::{Value, json};
use tool_core::contract::{Entry, compare};

/// The changes from one tool to another, each as class, code and place.
fn told(old: &Value, new: &Value) -> Vec<String> {
    let entry = |value: &Value| -> Entry { serde_json::from_value(value.clone()).unwrap() };
    let changes = compare(&[entry(old)], &[entry(new)]);
    changes.iter().map(|change| format!("{} {} {}", change.class(), change.code, change.path)).collect()
}

/// The changes of the whole input.
fn of_input(old: &Value, new: &Value) -> Vec<String> {
    let tool = |input: &Value| json!({"name": "tool", "input": input});
    told(&tool(old), &tool(new))
}

/// The changes of a parameter, or of an output, among definitions.
fn below(member: &str, definitions: (&Value, &Value), old: &Value, new: &Value) -> Vec<String> {
    let tool = |definitions: &Value, schema: &Value| {
        let object = json!({"type": "object", "properties": {"it": schema}, "additionalProperties": false,
            "$defs": definitions});
        let params = if member == "input" { json!([{"name": "it"}]) } else { json!([]) };
        let input = json!({"type": "object", "properties": {}, "additionalProperties": false});
        let mut tool = json!({"name": "tool", "params": params, "input": input});
        tool[member] = object;
        tool
    };
    told(&tool(definitions.0, old), &tool(definitions.1, new))
}

fn of_param(old: &Value, new: &Value) -> Vec<String> {
    below("input", (&json!({}), &json!({})), old, new)
}

fn of_output(old: &Value, new: &Value) -> Vec<String> {
    below("output", (&json!({}), &json!({})), old, new)
}

#[test]
fn what_refers_to_itself_is_compared_with_anything() {
    let nest = json!({"Nest": {"type": "array", "items": {"$ref": "#/$defs/Nest"}}});
    let opt =
        json!({"Nest": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/Nest"}, {"type": "null"}]}}});
    let (refers, any) = (json!({"$ref": "#/$defs/Nest"}), json!({"type": "array"}));
    for definitions in [&nest, &opt] {
        assert!(!below("input", (definitions, &json!({})), &refers, &any).is_empty());
        assert!(!below("input", (&json!({}), definitions), &any, &refers).is_empty());
        assert_eq!(below("input", (definitions, definitions), &refers, &refers), [""; 0]);
    }
}

#[test]
fn what_stands_beside_a_union_is_compared_too() {
    let input = |a: &str, required: Value| {
        json!({"type": "object", "properties": {"a": {"type": a}, "b": {"type": "integer"}, "c": {"type": "integer"}},
            "required": required, "additionalProperties": false,
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}]})
    };
    let old = input("string", json!([]));
    assert_eq!(of_input(&old, &old), [""; 0]);
    assert_eq!(of_input(&old, &input("integer", json!([]))), ["breaking input_changed /a"]);
    assert_eq!(of_input(&old, &input("string", json!(["c"]))), ["breaking input_narrowed /c"]);
    assert_eq!(of_input(&input("string", json!(["c"])), &old), ["additive input_widened /c"]);
    let text = |most: u64| json!({"maxLength": most, "anyOf": [{"type": "string"}, {"type": "null"}]});
    assert_eq!(of_param(&text(10), &text(3)), ["breaking input_narrowed /it"]);
    assert_eq!(of_param(&text(3), &text(10)), ["additive input_widened /it"]);
    let kinds = |key: &str| {
        let branches = json!([{"type": "integer"}, {"type": "string"}]);
        Value::Object([(key.to_owned(), branches)].into_iter().collect())
    };
    assert_eq!(of_param(&kinds("anyOf"), &kinds("oneOf")), ["breaking input_narrowed /it"]);
    assert_eq!(of_param(&kinds("oneOf"), &kinds("anyOf")), ["additive input_widened /it"]);
    let both = |any: Value| json!({"oneOf": [{"type": "integer"}, {"type": "string"}], "anyOf": any});
    let (wide, narrow) = (json!([{"type": "integer"}, {"type": "string"}]), json!([{"type": "integer"}]));
    assert_eq!(of_param(&both(wide), &both(narrow)), ["breaking input_changed /it"]);
}

#[test]
fn what_must_be_there_is_compared_where_no_property_says_what_it_is() {
    let beside = |one: &str, two: &str| json!({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "anyOf": [{"required": [one]}, {"required": [two]}]});
    assert_eq!(of_param(&beside("a", "b"), &beside("b", "a")), [""; 0]);
    let changes = of_param(&beside("a", "b"), &beside("a", "c"));
    assert!(changes.iter().any(|change| change.starts_with("breaking ")), "{changes:?}");
    let open = |required: &[&str]| json!({"type": "object", "required": required});
    assert_eq!(of_param(&open(&[]), &open(&["a"])), ["breaking input_narrowed /it/a"]);
    assert_eq!(of_param(&open(&["a"]), &open(&[])), ["additive input_widened /it/a"]);
    assert_eq!(of_input(&open(&[]), &open(&["a"])), ["breaking input_narrowed /a"]);
    assert_eq!(of_input(&open(&["a"]), &open(&[])), ["additive input_widened /a"]);
}

#[test]
fn a_keyword_that_goes_lets_more_in_only_where_it_shuts_out_and_nothing_else() {
    let closed = json!({"type": "object", "additionalProperties": false});
    let mut patterned = closed.clone();
    patterned["patternProperties"] = json!({"^x-": {"type": "string"}});
    assert_eq!(of_param(&patterned, &closed), ["breaking input_changed /it"]);
    assert_eq!(of_param(&closed, &patterned), ["breaking input_changed /it"]);
    let least = json!({"type": "array", "contains": {"type": "integer"}, "minContains": 0});
    let one = json!({"type": "array", "contains": {"type": "integer"}});
    assert_eq!(of_param(&least, &one), ["breaking input_changed /it"]);
    let not = json!({"type": "string", "not": {"const": "a"}});
    assert_eq!(of_param(&not, &json!({"type": "string"})), ["additive input_widened /it"]);
    assert_eq!(of_param(&json!({"type": "string"}), &not), ["breaking input_narrowed /it"]);
}

/// A struct that may be null.
fn nullable(properties: &Value, required: &[&str]) -> Value {
    let object = json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    json!({"anyOf": [object, {"type": "null"}]})
}

#[test]
fn a_struct_that_may_be_null_is_compared_field_by_field() {
    let one = json!({"id": {"type": "integer"}});
    let two = json!({"id": {"type": "integer"}, "n": {"type": "integer"}});
    let (old, new) = (nullable(&one, &["id"]), nullable(&two, &["id", "n"]));
    assert_eq!(of_output(&old, &new), ["additive output_property_added /it/n"]);
    assert_eq!(of_output(&new, &old), ["breaking output_property_removed /it/n"]);
    assert_eq!(of_param(&new, &nullable(&two, &["id"])), ["additive input_widened /it/n"]);
    assert_eq!(of_param(&nullable(&two, &["id"]), &new), ["breaking input_narrowed /it/n"]);
}

#[test]
fn the_order_of_untagged_branches_means_nothing() {
    let object = |names: &[&str], optional: Option<&str>| {
        let properties: serde_json::Map<String, Value> = names
            .iter()
            .copied()
            .chain(optional)
            .map(|name| (name.to_owned(), json!({"type": "integer"})))
            .collect();
        json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
    };
    let union = |branches: [Value; 2]| json!({ "anyOf": branches });
    let (ab, cd) = (object(&["a", "b"], None), object(&["c", "d"], None));
    let old = union([ab.clone(), cd.clone()]);
    assert_eq!(of_param(&old, &union([cd, ab.clone()])), [""; 0]);
    assert_eq!(
        of_param(&old, &union([ab, object(&["c", "d"], Some("e"))])),
        ["additive input_widened /it/e"]
    );
    let kinds = |number: &str| json!({"anyOf": [{"type": "string"}, {"type": number}]});
    assert_eq!(of_param(&kinds("integer"), &kinds("number")), ["additive input_widened /it"]);
    assert_eq!(of_param(&kinds("number"), &kinds("integer")), ["breaking input_narrowed /it"]);
}

#[test]
fn a_field_that_need_not_be_given_any_more_has_a_default_and_is_not_changed_by_it() {
    let object = |depth: Value, required: &[&str]| json!({"type": "object", "properties": {"depth": depth}, "required": required, "additionalProperties": false});
    let (bare, with) = (json!({"type": "integer"}), json!({"type": "integer", "default": 0}));
    let (old, new) = (object(bare.clone(), &["depth"]), object(with.clone(), &[]));
    assert_eq!(of_param(&old, &new), ["additive input_widened /it/depth"]);
    assert_eq!(of_param(&new, &old), ["breaking input_narrowed /it/depth"]);
    assert_eq!(of_param(&object(bare, &[]), &object(with, &[])), ["breaking default_changed /it/depth"]);
}

#[test]
fn words_of_what_refers_to_itself_are_compared_wherever_they_stand() {
    let tree = |text: &str| {
        json!({"Tree": {"type": "object", "description": text, "properties": {"next": {"$ref": "#/$defs/Tree"}},
            "additionalProperties": false}})
    };
    let (old, new, refers) = (tree("A tree."), tree("Another tree."), json!({"$ref": "#/$defs/Tree"}));
    let changes = below("input", (&old, &new), &refers, &refers);
    assert!(changes.iter().any(|change| change == "text param_text_changed /it"), "{changes:?}");
    assert!(changes.iter().all(|change| change.starts_with("text ")), "{changes:?}");
    let tool = |second: &str| {
        json!({"name": "tool", "params": [{"name": "a"}, {"name": "b"}], "input": {"type": "object", "properties": {
            "a": refers, "b": {"$ref": "#/$defs/Tree", "description": second}}, "$defs": old, "additionalProperties": false}})
    };
    assert_eq!(told(&tool("One."), &tool("Two.")), ["text param_text_changed /b"]);
    let root = |text: &str| json!({"type": "object", "description": text, "additionalProperties": false});
    assert_eq!(of_input(&root("One."), &root("Two.")), ["text param_text_changed "]);
}
