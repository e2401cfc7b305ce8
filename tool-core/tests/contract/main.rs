//! What a change of a contract is called where its kind alone does not tell: unions, what stands beside them, recursion, and
//! keywords without a rule. (registry.md §10)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use serde_json::{Value, json};
use tool_core::contract::{Change, Entry, compare};

mod entries;
mod lines;

/// The changes from some tools to others.
fn changes(old: &[Value], new: &[Value]) -> Vec<Change> {
    let entries = |tools: &[Value]| -> Vec<Entry> {
        tools.iter().map(|tool| serde_json::from_value(tool.clone()).unwrap()).collect()
    };
    compare(&entries(old), &entries(new))
}

/// The changes from one tool to another, each as class, code and place.
fn told(old: &Value, new: &Value) -> Vec<String> {
    let changes = changes(std::slice::from_ref(old), std::slice::from_ref(new));
    changes.iter().map(|change| format!("{} {} {}", change.class(), change.code, change.path)).collect()
}

/// The changes from one tool to another, as their lines.
fn lines(old: &Value, new: &Value) -> Vec<String> {
    changes(std::slice::from_ref(old), std::slice::from_ref(new)).iter().map(ToString::to_string).collect()
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

#[test]
fn words_of_what_an_object_takes_besides_are_compared_also_where_that_is_anything() {
    for more in [json!({}), json!({"type": "string"})] {
        let object = |words: &str| {
            let mut besides = more.clone();
            besides["description"] = words.into();
            json!({"type": "object", "additionalProperties": besides})
        };
        assert_eq!(of_param(&object("One."), &object("Two.")), ["text param_text_changed /it/*"], "{more}");
        assert_eq!(of_param(&object("One."), &object("One.")), [""; 0], "{more}");
    }
    let open = |besides: Value| json!({"type": "object", "additionalProperties": besides});
    assert_eq!(of_param(&open(true.into()), &open(json!({}))), [""; 0]);
}

#[test]
fn each_keyword_says_whether_more_or_less_is_taken() {
    let wider = ["additive input_widened /it"].as_slice();
    let narrower = ["breaking input_narrowed /it"].as_slice();
    let changed = ["breaking input_changed /it"].as_slice();
    let rows = [
        // Unlike its opposite, what is gone lets more in.
        (json!({"uniqueItems": true}), json!({}), wider),
        (json!({"uniqueItems": true}), json!({"uniqueItems": false}), wider),
        (json!({"pattern": "a"}), json!({}), wider),
        (json!({"pattern": "a"}), json!({"pattern": "b"}), changed),
        (json!({"pattern": "a", "maxLength": 3}), json!({"pattern": "a", "maxLength": 2}), narrower),
        (json!({"not": {"const": "a"}}), json!({"not": {"const": "b"}}), changed),
        (
            json!({"not": {"const": "a"}, "maxLength": 3}),
            json!({"not": {"const": "a"}, "maxLength": 2}),
            narrower,
        ),
        // Integers are compared by every digit.
        (
            json!({"minimum": 9_007_199_254_740_992_u64}),
            json!({"minimum": 9_007_199_254_740_993_u64}),
            narrower,
        ),
        (json!({"minimum": -1}), json!({"minimum": u64::MAX}), narrower),
        (json!({"minimum": 1}), json!({"minimum": 1.5}), narrower),
        // Of an inclusive and an exclusive bound the tighter one holds.
        (json!({"minimum": 5, "exclusiveMinimum": 3}), json!({"minimum": 5}), &[]),
        (json!({"minimum": 3, "exclusiveMinimum": 5}), json!({"exclusiveMinimum": 5}), &[]),
        (json!({"minimum": 5, "exclusiveMinimum": 5}), json!({"exclusiveMinimum": 5}), &[]),
        (json!({"minimum": 5, "exclusiveMinimum": 5}), json!({"minimum": 5}), wider),
        (json!({"maximum": 5, "exclusiveMaximum": 7}), json!({"maximum": 5}), &[]),
        (json!({"maximum": 7, "exclusiveMaximum": 5}), json!({"exclusiveMaximum": 5}), &[]),
        // Nothing at all.
        (json!(false), json!({"type": "string"}), wider),
        (json!({"type": "string"}), json!(false), narrower),
        // What an object takes besides its properties.
        (json!({"additionalProperties": false}), json!({"additionalProperties": {"type": "string"}}), wider),
        (
            json!({"additionalProperties": {"type": "string"}}),
            json!({"additionalProperties": false}),
            narrower,
        ),
        (json!({"additionalProperties": {"type": "string"}}), json!({}), wider),
        (json!({"additionalProperties": {}}), json!({}), &[]),
        (json!({"additionalProperties": true}), json!({"additionalProperties": {}}), &[]),
        (
            json!({"additionalProperties": {"type": "string"}}),
            json!({"additionalProperties": {"type": ["string", "integer"]}}),
            &["additive input_widened /it/*"],
        ),
        // Tuples of one length are compared item by item; of what has another one, how many items there are is no more to say.
        (
            json!({"prefixItems": [{}], "minItems": 1, "maxItems": 1}),
            json!({"prefixItems": [{}, {}], "minItems": 2, "maxItems": 2}),
            changed,
        ),
        (json!({"minItems": 1, "maxItems": 2}), json!({"minItems": 0, "maxItems": 3}), wider),
        (
            json!({"prefixItems": [{"type": "integer"}, {}]}),
            json!({"prefixItems": [{"type": "number"}, {}]}),
            &["additive input_widened /it/0"],
        ),
        (
            json!({"prefixItems": [{"type": "integer"}]}),
            json!({"prefixItems": [{"type": "number"}, {}]}),
            changed,
        ),
    ];
    for (old, new, expected) in &rows {
        assert_eq!(of_param(old, new), *expected, "{old} {new}");
    }
}

#[test]
fn what_lists_its_values_has_their_types() {
    let rows = [
        (json!(null), "null"),
        (json!(true), "boolean"),
        (json!(1.5), "number"),
        (json!(1), "integer"),
        (json!("a"), "string"),
        (json!([1]), "array"),
        (json!({"a": 1}), "object"),
    ];
    for (value, own) in &rows {
        for name in rows.iter().map(|row| row.1) {
            let expected: &[&str] = match (*own, name) {
                (own, name) if own == name => &["additive input_widened /it"],
                ("integer", "number") => &["additive input_widened /it"],
                ("number", "integer") => &["breaking input_narrowed /it", "additive input_widened /it"],
                _ => &["breaking input_changed /it"],
            };
            let mut told = of_param(&json!({"enum": [value]}), &json!({"type": name}));
            told.sort_unstable_by_key(|line| !line.starts_with("breaking"));
            assert_eq!(told, expected, "{value} {name}");
        }
    }
}

#[test]
fn a_union_says_what_comes_and_goes_by_its_branches_and_values() {
    let any = |branches: &Value| json!({"description": "A.", "anyOf": branches});
    let integer = json!({"type": "integer"});
    // What becomes one of several has the words of them all.
    let lone = json!({"type": "integer", "description": "A."});
    let two = any(&json!([integer, {"type": "string"}]));
    assert_eq!(of_param(&lone, &two), ["additive input_widened /it"]);
    assert_eq!(of_param(&two, &lone), ["breaking input_narrowed /it"]);
    let worded = |words: &str| any(&json!([{"type": "integer", "description": words}, {"type": "string"}]));
    assert_eq!(of_param(&worded("One."), &worded("Two.")), ["text param_text_changed /it"]);
    let case =
        |kind: &str| json!({"type": "object", "properties": {"kind": {"const": kind}}, "required": ["kind"]});
    assert_eq!(of_param(&any(&json!([case("a"), case("b")])), &any(&json!([case("b"), case("a")]))), [""; 0]);
    let values = |values: &[&str]| {
        let units = values.iter().map(|value| json!({ "const": value }));
        any(&units.chain([integer.clone()]).collect())
    };
    assert_eq!(of_param(&values(&["a"]), &values(&["a", "b"])), ["additive input_widened /it"]);
    assert_eq!(of_param(&values(&["a", "b"]), &values(&["b"])), ["breaking input_narrowed /it"]);
    assert_eq!(of_param(&values(&["a"]), &values(&["b"])), ["breaking input_changed /it"]);
    assert_eq!(of_param(&values(&["a", "b"]), &values(&["b", "a"])), [""; 0]);
}
