//! What becomes of a construct in each wire form, and what is told of it. (dialects.md §2, §3)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use serde_json::{Value, json};
use tool_core::dialect::{Wire, compile};

use Wire::{AnthropicStrict, Gemini, Loose, Mcp, OpenAiStrict};

fn object(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// What is told: the place, the keyword and what was done about it.
type Told<'t> = &'t [&'t str];

/// What becomes of a parameter that must be given, or may be left out, beside definitions.
fn becomes(wire: Wire, schema: &Value, optional: bool, definitions: &Value) -> (Value, Vec<String>) {
    let mut whole = object(json!({"it": schema}));
    if optional {
        whole.as_object_mut().unwrap().remove("required");
    }
    if definitions.as_object().is_some_and(|named| !named.is_empty()) {
        whole["$defs"] = definitions.clone();
    }
    let compiled = compile(&whole, wire);
    let told = compiled.issues.iter().map(ToString::to_string);
    let told = told.map(|told| told.strip_prefix("/properties/it").map_or(told.clone(), str::to_owned));
    (compiled.schema.unwrap()["properties"]["it"].clone(), told.collect())
}

fn all_become(rows: &[(&[Wire], Value, Value, Told<'_>)], optional: bool, definitions: &Value) {
    for (wires, schema, expected, told) in rows {
        for wire in *wires {
            let found = becomes(*wire, schema, optional, definitions);
            assert_eq!(
                found,
                (expected.clone(), told.iter().map(|told| (*told).to_owned()).collect()),
                "{wire:?}: {schema}"
            );
        }
    }
}

#[test]
fn a_list_of_types_is_a_union_where_the_form_wants_one() {
    let of_types = json!({"type": ["string", "integer", "null"], "minLength": 1, "minimum": 2, "enum": ["a", 5, 5.0, null], "description": "D.",
        "x-shown": true, "not": {"const": "b"}});
    let branches =
        json!([{"type": "string", "enum": ["a"]}, {"type": "integer", "enum": [5, 5.0]}, {"type": "null"}]);
    let (gemini, told) = becomes(Gemini, &of_types, false, &json!({}));
    let kinds: Vec<(&Value, Option<&Value>)> = gemini["anyOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|branch| (&branch["type"], branch.get("enum")))
        .collect();
    let expected: Vec<(&Value, Option<&Value>)> =
        branches.as_array().unwrap().iter().map(|branch| (&branch["type"], branch.get("enum"))).collect();
    assert_eq!(kinds, expected, "{gemini} {told:?}");
    assert_eq!(gemini["description"], "D.");

    let (mcp, _) = becomes(
        Mcp,
        &json!({"type": ["object", "string"], "x-entries": true, "additionalProperties": {"type": "integer"}, "maxLength": 3, "maxProperties": 4}),
        false,
        &json!({}),
    );
    assert_eq!(
        mcp,
        json!({"anyOf": [{"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 4}, {"type": "string", "maxLength": 3}]})
    );
    let number = json!({"type": ["number", "boolean"], "enum": [1, 2.5, true]});
    let split = json!({"anyOf": [{"type": "number", "enum": [1, 2.5]}, {"type": "boolean", "enum": [true]}]});
    all_become(&[(&[Mcp], number, split, &[])], false, &json!({}));
    let both = json!({"type": ["array", "string"], "items": {"type": "integer"}});
    let split = json!({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "string"}]});
    all_become(&[(&Wire::ALL, both, split, &[])], false, &json!({}));
    let map = json!({"type": ["object", "string"], "x-entries": true, "x-shown": 1, "additionalProperties": {"type": "integer"}});
    let entry = json!({"type": "object", "properties": {"key": {"type": "string"}, "value": {"type": "integer"}}, "required": ["key", "value"], "additionalProperties": false});
    let split = json!({"anyOf": [{"type": "array", "items": entry}, {"type": "string"}]});
    all_become(&[(STRICT, map, split, &[])], false, &json!({}));
}

const ALL: &[Wire] = &Wire::ALL;
const STRICT: &[Wire] = &[OpenAiStrict, AnthropicStrict];
/// Those that are not strict and carry JSON Schema as it is.
const PLAIN: &[Wire] = &[Loose, Mcp];
const FREE: &[Wire] = &[Loose, Mcp, Gemini];

#[test]
fn tuples_and_lists_say_what_is_in_them() {
    let tuple = json!([{"type": "string"}, {"type": "integer"}]);
    let either = json!({"anyOf": tuple});
    let closed = |items: Value| json!({"type": "array", "prefixItems": tuple, "items": items, "minItems": 2, "maxItems": 2});
    let fixed = json!({"type": "array", "prefixItems": tuple, "minItems": 2, "maxItems": 2});
    let longer = json!({"type": "array", "prefixItems": tuple, "minItems": 2, "maxItems": 3});
    let open = json!({"type": "array", "prefixItems": tuple, "items": {"type": "boolean"}});
    let nothing = json!({"type": "array", "prefixItems": tuple, "items": false});
    let least = json!({"type": "array", "prefixItems": tuple, "minItems": 2});
    all_become(
        &[
            // Some models read `items` alone.
            (FREE, closed(json!(false)), closed(either.clone()), &[]),
            (STRICT, closed(json!(false)), closed(either.clone()), &[": prefixItems: downgraded"]),
            (FREE, fixed, closed(either.clone()), &[]),
            (FREE, longer.clone(), longer, &[]),
            (FREE, least.clone(), least, &[]),
            (FREE, open.clone(), open.clone(), &[]),
            (STRICT, open.clone(), open, &[": prefixItems: downgraded"]),
            (FREE, nothing, json!({"type": "array", "prefixItems": tuple, "items": either}), &[]),
            (FREE, json!({"type": "array"}), json!({"type": "array", "items": {}}), &[]),
            (
                STRICT,
                json!({"type": "array"}),
                json!({"type": "array", "items": {}}),
                &[": items: downgraded"],
            ),
        ],
        false,
        &json!({}),
    );
}

#[test]
fn maps_are_lists_of_entries_where_a_strict_form_wants_that() {
    let values = json!({"type": "integer"});
    let map = json!({"type": "object", "additionalProperties": values, "maxProperties": 3});
    let mut listed = map.clone();
    listed["x-entries"] = json!(true);
    let entry = json!({"type": "object", "properties": {"key": {"type": "string"}, "value": values}, "required": ["key", "value"], "additionalProperties": false});
    let entries = json!({"type": "array", "items": entry, "description": "Maximum properties: 3."});
    let named = json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": values, "x-entries": true});
    let mut shown = named.clone();
    shown.as_object_mut().unwrap().remove("x-entries");
    let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false, "x-entries": true, "required": ["a"]});
    let mut object = closed.clone();
    object.as_object_mut().unwrap().remove("x-entries");
    all_become(
        &[
            (PLAIN, listed.clone(), map.clone(), &[]),
            (STRICT, listed, entries, &[": maxProperties: described"]),
            (
                STRICT,
                map.clone(),
                map,
                &[": additionalProperties: downgraded", ": maxProperties: downgraded"],
            ),
            // What has named properties is no map.
            (STRICT, named.clone(), shown.clone(), &[": additionalProperties: downgraded"]),
            (PLAIN, named, shown, &[]),
            (ALL, closed, object, &[]),
        ],
        false,
        &json!({}),
    );
    let patterns =
        |values: Value| json!({"type": "object", "patternProperties": values, "additionalProperties": false});
    let of = |values: Value| json!({"type": "object", "additionalProperties": values});
    let (text, number) = (json!({"type": "string"}), json!({"type": "integer"}));
    let open = json!({"type": "object", "patternProperties": {"^a": text}, "additionalProperties": number});
    all_become(
        &[
            (
                &[Gemini],
                patterns(json!({"^a": text, "^b": text})),
                of(text.clone()),
                &[": patternProperties: relaxed"],
            ),
            (
                &[Gemini],
                patterns(json!({"^a": text, "^b": number})),
                of(json!({"anyOf": [text, number]})),
                &[": patternProperties: relaxed"],
            ),
            (&[Gemini], open.clone(), of(number), &[": patternProperties: relaxed"]),
            (PLAIN, open.clone(), open, &[]),
        ],
        false,
        &json!({}),
    );
}

#[test]
fn unions_are_any_of_and_say_what_that_loses() {
    let one_of = |branches: &Value| json!({"oneOf": branches});
    let any_of = |branches: &Value| json!({"anyOf": branches});
    let (text, number) = (json!({"type": "string"}), json!({"type": "integer"}));
    let apart = json!([text, number]);
    let listed = json!([{"enum": ["a", "b"]}, {"enum": ["c"]}, {"const": "d"}]);
    let shared = json!([{"enum": ["a", "b"]}, {"enum": ["b"]}]);
    let constant = json!([{"enum": ["a", "b"]}, {"const": "b"}]);
    let case = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let by_key = json!([case(json!({"a": text}), json!(["a"])), case(json!({"b": text}), json!([]))]);
    let by_other_key = json!([case(json!({"a": text}), json!([])), case(json!({"b": text}), json!(["b"]))]);
    let by_no_key = json!([case(json!({"a": text}), json!([])), case(json!({"b": text}), json!([]))]);
    let kind = |kind: &str| json!({"kind": {"enum": [kind]}, "a": text});
    let by_tag = json!([case(kind("x"), json!(["kind", "a"])), case(kind("y"), json!(["kind", "a"]))]);
    let by_optional_tag = json!([case(kind("x"), json!(["a"])), case(kind("y"), json!(["kind", "a"]))]);
    let both = json!({"anyOf": apart, "oneOf": [text, {"type": "boolean"}]});
    for branches in [&apart, &listed, &by_key, &by_other_key, &by_tag] {
        all_become(&[(PLAIN, one_of(branches), any_of(branches), &[])], false, &json!({}));
    }
    for branches in [&shared, &constant, &by_no_key, &by_optional_tag] {
        all_become(&[(PLAIN, one_of(branches), any_of(branches), &[": oneOf: relaxed"])], false, &json!({}));
    }
    all_become(
        &[
            (&[Mcp], both.clone(), both.clone(), &[]),
            (STRICT, both.clone(), both.clone(), &[": oneOf: downgraded"]),
            (&[Gemini], both, any_of(&apart), &[": oneOf: relaxed"]),
        ],
        false,
        &json!({}),
    );
}

#[test]
fn a_recursive_definition_can_end_where_the_api_follows_it() {
    let node = |more: &str| json!({"type": "object", "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}}, "required": ["name", more], "additionalProperties": false});
    let definitions = |more: &str| json!({"Node": node(more)});
    let plainly = json!({"$ref": "#/$defs/Node"});
    let documented = json!({"anyOf": [plainly], "description": "D."});
    let or_null = json!({"anyOf": [plainly, {"type": "null"}]});
    let with = |mut schema: Value, text: &str| {
        schema["description"] = text.into();
        schema
    };
    let gemini = |schema: &Value, more: &str| becomes(Gemini, schema, false, &definitions(more)).0;
    // It ends where the property may be left out, and is told in words where it may not.
    assert_eq!(gemini(&plainly, "name"), node("name"));
    assert_eq!(gemini(&documented, "name"), with(node("name"), "D."));
    assert_eq!(gemini(&or_null, "name"), json!({"anyOf": [node("name"), {"type": "null"}]}));
    let mut endless = node("next");
    endless["properties"]["next"] = json!({"type": "object", "description": "Same structure as `Node`."});
    assert_eq!(gemini(&plainly, "next"), endless);
    let told = |more: &str| becomes(Gemini, &plainly, false, &definitions(more)).1;
    assert_eq!(told("name"), [""; 0]);
    assert_eq!(told("next"), ["/$defs/Node/properties/next: $ref: relaxed"]);
    for wire in PLAIN {
        assert_eq!(becomes(*wire, &documented, false, &definitions("next")), (documented.clone(), vec![]));
    }
}

#[test]
fn what_may_be_left_out_may_be_null_in_the_strict_form_of_openai() {
    let or_null = |schema: Value| json!({"anyOf": [schema, {"type": "null"}]});
    let list = json!({"type": "array", "items": {"type": "string"}});
    let constant = json!({"type": "string", "const": "a"});
    let union = json!({"anyOf": [{"type": "string"}, {"type": "integer"}]});
    let three =
        json!({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}], "description": "D."});
    let documented = json!({"anyOf": [{"type": "string"}, {"type": "integer"}], "description": "D."});
    let choice = json!({"type": "string", "enum": ["a"]});
    let definitions = json!({"T": {"type": "object", "properties": {"t": {"$ref": "#/$defs/T"}}, "additionalProperties": false}});
    let reference = json!({"$ref": "#/$defs/T"});
    all_become(
        &[
            (&[OpenAiStrict], json!({"type": "string"}), json!({"type": ["string", "null"]}), &[]),
            (&[OpenAiStrict], choice, json!({"type": ["string", "null"], "enum": ["a", null]}), &[]),
            (&[OpenAiStrict], constant.clone(), or_null(constant), &[]),
            (&[OpenAiStrict], list.clone(), or_null(list), &[]),
            (
                &[OpenAiStrict],
                union,
                json!({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
                &[],
            ),
            (&[OpenAiStrict], documented, three, &[]),
            (&[OpenAiStrict], reference.clone(), or_null(reference), &[]),
        ],
        true,
        &definitions,
    );
    // A union beside something else is no list of what may be.
    let branch = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name], "additionalProperties": false});
    let beside = json!({"type": "object", "anyOf": [branch("a"), branch("b")]});
    let (found, _) = becomes(OpenAiStrict, &beside, true, &json!({}));
    assert_eq!(found["anyOf"][1], json!({"type": "null"}), "{found}");
    assert_eq!(found["anyOf"][0]["anyOf"].as_array().unwrap().len(), 2, "{found}");
}

#[test]
fn what_is_deprecated_is_told_once() {
    let old = |description: Option<&str>, more: &str| {
        let mut schema = json!({"type": "string"});
        schema
            .as_object_mut()
            .unwrap()
            .extend(description.map(|text| ("description".to_owned(), json!(text))));
        if !more.is_empty() {
            schema[more] = json!(true);
        }
        schema
    };
    for (before, after) in [
        (Some("Old. Deprecated: use b."), "Old. Deprecated: use b."),
        (Some("Old"), "Old. Deprecated."),
        (Some("Old?"), "Old? Deprecated."),
        (None, "Deprecated."),
    ] {
        all_become(
            &[
                (
                    &[OpenAiStrict, Gemini],
                    old(before, "deprecated"),
                    old(Some(after), ""),
                    &[": deprecated: described"],
                ),
                (PLAIN, old(before, "deprecated"), old(before, "deprecated"), &[]),
            ],
            false,
            &json!({}),
        );
    }
    // Another sentence is told, whatever the description has of it.
    let short = json!({"type": "string", "minLength": 2, "description": "Deprecated. Minimum length: 2."});
    let (found, _) = becomes(OpenAiStrict, &short, false, &json!({}));
    assert_eq!(found["description"], "Deprecated. Minimum length: 2. Minimum length: 2.");
}

#[test]
fn names_that_an_api_refuses_are_those_of_parameters_alone() {
    let odd = object(json!({"no-name": {"type": "string"}}));
    let refused = |schema: &Value| -> Vec<String> {
        compile(schema, Gemini).issues.iter().map(ToString::to_string).collect()
    };
    assert_eq!(refused(&odd), ["/properties/no-name: properties: refused"]);
    assert_eq!(refused(&object(json!({"it": odd}))), [""; 0]);
    assert_eq!(refused(&object(json!({"it": {"type": "array", "items": odd}}))), [""; 0]);
    assert_eq!(refused(&json!({"type": "object", "additionalProperties": odd})), [""; 0]);
    let root = json!({"anyOf": [odd, object(json!({"b": {"type": "string"}}))]});
    assert_eq!(refused(&root), ["/anyOf/0/properties/no-name: properties: refused"]);
    assert_eq!(refused(&object(json!({"it": root}))), [""; 0]);
}
