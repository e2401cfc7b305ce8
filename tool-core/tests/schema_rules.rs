//! The rules S1 to S12 of the canonical form, one table of forms each.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::{Value, json};
use tool_core::schema::{canonical, inlined};

/// Every row must become its second half, which must be its own canonical form.
fn turn_into(rows: Vec<(Value, Value)>) {
    for (raw, expected) in rows {
        let schema = canonical(&raw).unwrap();
        assert_eq!(ordered(&schema), ordered(&expected), "\nraw {raw}\ngot {schema}");
        assert_eq!(ordered(&canonical(&schema).unwrap()), ordered(&schema), "not at rest: {schema}");
    }
}

/// A schema as text in which properties keep their order and keywords do not.
fn ordered(schema: &Value) -> String {
    match schema {
        Value::Object(keywords) => {
            let mut parts: Vec<String> = keywords
                .iter()
                .map(|(keyword, value)| match (keyword.as_str(), value) {
                    ("properties", Value::Object(named)) => {
                        let named: Vec<String> =
                            named.iter().map(|(n, s)| format!("{n}:{}", ordered(s))).collect();
                        format!("properties:{{{}}}", named.join(","))
                    }
                    _ => format!("{keyword}:{}", ordered(value)),
                })
                .collect();
            parts.sort_unstable();
            format!("{{{}}}", parts.join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(ordered).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

fn refused(raw: &Value) -> (&'static str, String) {
    let problem = canonical(raw).unwrap_err();
    (problem.code, problem.pointer)
}

#[test]
fn s1_booleans_are_schemas_and_false_is_an_error_where_it_has_no_meaning() {
    turn_into(vec![
        (json!({"type": "array", "items": true}), json!({"type": "array", "items": {}})),
        (
            json!({"type": "array", "prefixItems": [true], "items": false}),
            json!({"type": "array", "prefixItems": [{}], "items": false}),
        ),
        (
            json!({"properties": {}, "unevaluatedProperties": false}),
            json!({"properties": {}, "unevaluatedProperties": false}),
        ),
        (json!({"additionalProperties": {}}), json!({"additionalProperties": true})),
    ]);
    assert_eq!(refused(&json!(false)), ("schema_false", String::new()));
    assert_eq!(refused(&json!({"items": false})), ("schema_false", "/items".into()));
    assert_eq!(
        refused(&json!({"properties": {"a/b": {"anyOf": [true, false]}}})),
        ("schema_false", "/properties/a~1b/anyOf/1".into())
    );
    assert_eq!(refused(&json!({"items": {"not": 5}})), ("schema_invalid", "/items/not".into()));
}

#[test]
fn s2_keywords_that_say_nothing_go_and_descriptions_are_trimmed() {
    turn_into(vec![
        (
            json!({"$id": "x", "$comment": "c", "readOnly": true, "type": "string", "description": "  A.\n"}),
            json!({"type": "string", "description": "A."}),
        ),
        (json!({"type": "string", "description": " \n"}), json!({"type": "string"})),
        // Values are no schemas.
        (
            json!({"default": {"title": "t"}, "examples": [{"$ref": "#/x"}], "enum": [{"$id": 1}]}),
            json!({"default": {"title": "t"}, "examples": [{"$ref": "#/x"}], "enum": [{"$id": 1}], "type": "object"}),
        ),
    ]);
}

#[test]
fn s3_references_are_inlined_wherever_they_stand() {
    let text = json!({"type": "string", "title": "T", "description": "D."});
    let plain = json!({"type": "string", "description": "D."});
    for (place, around) in [
        ("items", "array"),
        ("additionalProperties", "object"),
        ("propertyNames", "object"),
        ("contains", "array"),
    ] {
        turn_into(vec![(
            json!({"type": around, place: {"$ref": "#/$defs/T"}, "$defs": {"T": text}}),
            json!({"type": around, place: plain}),
        )]);
    }
    turn_into(vec![
        (
            json!({"prefixItems": [{"$ref": "#/$defs/a~1b%20c"}], "$defs": {"a/b c": text}}),
            json!({"prefixItems": [plain]}),
        ),
        (
            json!({"patternProperties": {"^x": {"$ref": "#/definitions/T"}}, "definitions": {"T": {"$ref": "#/definitions/U"}, "U": text}}),
            json!({"patternProperties": {"^x": plain}}),
        ),
        (
            json!({"properties": {"a": text, "b": {"$ref": "#/properties/a", "description": "B."}}, "required": ["a", "b"]}),
            json!({"properties": {"a": plain, "b": {"type": "string", "description": "B."}}, "required": ["a", "b"], "additionalProperties": false}),
        ),
        (
            json!({"$ref": "#/$defs/T", "maxLength": 3, "$defs": {"T": {"type": "string", "maxLength": 9}}}),
            json!({"type": "string", "maxLength": 3}),
        ),
    ]);
}

#[test]
fn s3_recursive_definitions_stay_under_their_names() {
    let list = |reference: &str| json!({"type": "array", "items": {"$ref": reference}});
    turn_into(vec![
        (
            json!({"items": {"$ref": "#/$defs/My%20List"}, "$defs": {"My List": list("#/$defs/My%20List")}}),
            json!({"items": {"$ref": "#/$defs/My%20List"}, "$defs": {"My List": list("#/$defs/My%20List")}}),
        ),
        (
            json!({"title": "Root", "properties": {"x": list("#")}, "required": ["x"]}),
            json!({"$ref": "#/$defs/Root", "$defs": {"Root": {"properties": {"x": list("#/$defs/Root")}, "required": ["x"], "additionalProperties": false}}}),
        ),
        // The title is taken.
        (
            json!({"title": "A", "prefixItems": [{"$ref": "#"}, {"$ref": "#/$defs/A"}], "$defs": {"A": list("#/$defs/A")}}),
            json!({"$ref": "#/$defs/A2", "$defs": {
                "A": list("#/$defs/A"),
                "A2": {"prefixItems": [{"$ref": "#/$defs/A2"}, {"$ref": "#/$defs/A"}]},
            }}),
        ),
        (
            json!({"items": {"$ref": "#/$defs/L", "description": " D. ", "default": []}, "$defs": {"L": list("#/$defs/L")}}),
            json!({"items": {"anyOf": [{"$ref": "#/$defs/L"}], "description": "D.", "default": []}, "$defs": {"L": list("#/$defs/L")}}),
        ),
        // What else stands beside a reference stays.
        (
            json!({"items": {"$ref": "#/$defs/L", "anyOf": [{"minItems": 1}, {"maxItems": 3}], "allOf": [{"not": {"type": "array", "const": []}}]},
                "$defs": {"L": list("#/$defs/L")}}),
            json!({"items": {"anyOf": [{"minItems": 1}, {"maxItems": 3}], "allOf": [{"not": {"type": "array", "const": []}}, {"$ref": "#/$defs/L"}]},
                "$defs": {"L": list("#/$defs/L")}}),
        ),
        // What contained itself only where null was told of, which goes, is a definition like others.
        (
            json!({"$ref": "#/$defs/P", "$defs": {"P": {"properties": {
                "x": {"anyOf": [{"type": "string"}, {"type": "null", "not": {"$ref": "#/$defs/P"}}]}}}}}),
            json!({"properties": {"x": {"type": "string"}}, "additionalProperties": false}),
        ),
        // The name is the definition's own, whatever its title, and the title of what is no definition.
        (
            json!({"items": {"$ref": "#/definitions/L"}, "definitions": {"L": {"title": "T", "items": {"$ref": "#/definitions/L"}}}}),
            json!({"items": {"$ref": "#/$defs/L"}, "$defs": {"L": {"items": {"$ref": "#/$defs/L"}}}}),
        ),
        (
            json!({"prefixItems": [{"title": "T", "items": {"$ref": "#/prefixItems/0"}}]}),
            json!({"prefixItems": [{"items": {"$ref": "#/$defs/T"}}], "$defs": {"T": {"items": {"$ref": "#/$defs/T"}}}}),
        ),
        // A reference stays as it was written where it leads to that name.
        (
            json!({"items": {"$ref": "#/$defs/My List"}, "$defs": {"My List": list("#/$defs/My List")}}),
            json!({"items": {"$ref": "#/$defs/My List"}, "$defs": {"My List": list("#/$defs/My List")}}),
        ),
        (
            json!({"prefixItems": [{"$ref": "#/$defs/L"}, {"$ref": "#/definitions/L"}],
                "$defs": {"L": list("#/$defs/L")}, "definitions": {"L": {"items": {"$ref": "#/definitions/L"}}}}),
            json!({"prefixItems": [{"$ref": "#/$defs/L"}, {"$ref": "#/$defs/L2"}],
                "$defs": {"L": list("#/$defs/L"), "L2": {"items": {"$ref": "#/$defs/L2"}}}}),
        ),
        // Only what leads back to itself is recursive: `Outer` is inlined, `L` stays.
        (
            json!({"$ref": "#/$defs/Outer", "$defs": {"Outer": {"items": {"$ref": "#/$defs/L"}}, "L": list("#/$defs/L")}}),
            json!({"items": {"$ref": "#/$defs/L"}, "$defs": {"L": list("#/$defs/L")}}),
        ),
    ]);
}

#[test]
fn s3_references_that_lead_nowhere_or_away_are_refused() {
    assert_eq!(refused(&json!({"items": {"$ref": "#/$defs/X"}})), ("schema_invalid", "/items".into()));
    assert_eq!(refused(&json!({"items": {"$ref": "other.json#/a"}})), ("schema_remote_ref", "/items".into()));
    assert_eq!(refused(&json!({"$ref": 5})), ("schema_invalid", String::new()));
    // An unused definition is not looked at.
    turn_into(vec![(
        json!({"type": "null", "$defs": {"G": {"$ref": "https://x"}}}),
        json!({"type": "null"}),
    )]);
}

#[test]
fn s3_definitions_that_hold_each_other_twice_do_not_explode() {
    let mut definitions = json!({"D0": {"type": "string"}});
    for i in 1..40 {
        let below = json!({"$ref": format!("#/$defs/D{}", i - 1)});
        definitions[format!("D{i}")] = json!({"prefixItems": [below, below]});
    }
    let bomb = json!({"$ref": "#/$defs/D39", "$defs": definitions});
    assert_eq!(refused(&bomb).0, "schema_invalid");
    let small = json!({"$ref": "#/$defs/D5", "$defs": definitions});
    assert!(canonical(&small).is_ok());
}

#[test]
fn s3_so_many_schemas_and_levels_are_read_and_no_more() {
    let wide = |schemas: usize| json!({"anyOf": vec![json!({}); schemas - 1]});
    assert!(inlined(&wide(50_000)).is_ok());
    assert_eq!(inlined(&wide(50_001)).unwrap_err().code, "schema_invalid");
    let deep = |levels: usize| (1..levels).fold(json!({}), |inner, _| json!({ "items": inner }));
    assert!(inlined(&deep(128)).is_ok());
    assert_eq!(inlined(&deep(129)).unwrap_err().code, "schema_invalid");
}

#[test]
fn s4_number_formats_become_bounds_and_unknown_formats_go() {
    turn_into(vec![
        (
            json!({"type": ["integer", "null"], "format": "int16"}),
            json!({"type": ["integer", "null"], "minimum": -32768, "maximum": 32767}),
        ),
        (
            json!({"type": "integer", "format": "uint64", "exclusiveMaximum": 9}),
            json!({"type": "integer", "minimum": 0, "exclusiveMaximum": 9}),
        ),
        (json!({"type": "integer", "format": "int64"}), json!({"type": "integer"})),
        (json!({"type": "integer", "format": "uint128"}), json!({"type": "integer", "minimum": 0})),
        (
            json!({"type": "number", "format": "float", "maximum": 1}),
            json!({"type": "number", "minimum": -3.4028234663852886e38, "maximum": 1}),
        ),
        (json!({"type": "string", "format": "int32"}), json!({"type": "string"})),
        (
            json!({"type": "string", "format": "json-pointer"}),
            json!({"type": "string", "format": "json-pointer"}),
        ),
        (json!({"type": "string", "format": "uri-template"}), json!({"type": "string"})),
    ]);
}

#[test]
fn s5_unions_of_texts_become_choices_with_notes() {
    let low = json!({"const": "low", "description": "Little."});
    turn_into(vec![
        (
            json!({"anyOf": [{"const": "a"}, {"const": "b"}, {"type": "null"}]}),
            json!({"type": ["string", "null"], "enum": ["a", "b", null]}),
        ),
        (
            json!({"anyOf": [{"type": "null"}, {"type": "null"}, {"type": "null"}]}),
            json!({"anyOf": [{"type": "null"}, {"type": "null"}, {"type": "null"}]}),
        ),
        (
            json!({"oneOf": [{"const": "a", "type": "string"}, {"const": "b", "type": "string"}], "enum": ["a"], "type": "string"}),
            json!({"oneOf": [{"const": "a", "type": "string"}, {"const": "b", "type": "string"}], "enum": ["a"], "type": "string"}),
        ),
        (
            json!({"anyOf": [low, {"enum": ["b", "low"]}]}),
            json!({"type": "string", "enum": ["low", "b"], "description": "`low`: Little."}),
        ),
        (
            json!({"type": "string", "description": "D.", "oneOf": [{"const": "x"}, {"const": "low", "description": "Little."}]}),
            json!({"type": "string", "description": "D. `low`: Little.", "enum": ["x", "low"]}),
        ),
        // The text beside a reference replaces the type's, and the notes stay.
        (
            json!({"$ref": "#/$defs/L", "description": "Mine.", "$defs": {"L": {"oneOf": [low], "description": "Type's."}}}),
            json!({"type": "string", "enum": ["low"], "description": "Mine. `low`: Little."}),
        ),
        (
            json!({"anyOf": [{"$ref": "#/$defs/L"}, {"type": "null"}], "description": "Mine.", "$defs": {"L": {"oneOf": [low], "description": "Type's."}}}),
            json!({"type": ["string", "null"], "enum": ["low", null], "description": "Mine. `low`: Little."}),
        ),
        (
            json!({"anyOf": [{"$ref": "#/$defs/L"}, {"type": "null"}], "$defs": {"L": {"oneOf": [low], "description": "Type's."}}}),
            json!({"type": ["string", "null"], "enum": ["low", null], "description": "Type's. `low`: Little."}),
        ),
        (
            json!({"anyOf": [{"type": "null"}, {"oneOf": [low], "description": "Type's."}]}),
            json!({"type": ["string", "null"], "enum": ["low", null], "description": "Type's. `low`: Little."}),
        ),
        // Not only texts, or more than texts.
        (
            json!({"oneOf": [{"const": "a"}, {"const": 1}]}),
            json!({"oneOf": [{"const": "a", "type": "string"}, {"const": 1, "type": "integer"}]}),
        ),
        (
            json!({"anyOf": [{"enum": ["a"]}, {"type": "string", "pattern": "^x"}]}),
            json!({"anyOf": [{"enum": ["a"], "type": "string"}, {"type": "string", "pattern": "^x"}]}),
        ),
    ]);
}

#[test]
fn s6_constants_have_the_types_of_their_values() {
    turn_into(vec![
        (json!({"enum": [1, 2]}), json!({"enum": [1, 2], "type": "integer"})),
        (json!({"const": 1.5}), json!({"const": 1.5, "type": "number"})),
        (json!({"const": null}), json!({"const": null, "type": "null"})),
        (
            json!({"enum": ["auto", 0, true, "x"]}),
            json!({"enum": ["auto", 0, true, "x"], "type": ["string", "integer", "boolean"]}),
        ),
        (json!({"enum": ["a", null]}), json!({"enum": ["a", null], "type": ["string", "null"]})),
        (json!({"const": "a", "type": "string"}), json!({"const": "a", "type": "string"})),
    ]);
}

#[test]
fn s7_all_of_is_merged_without_conflict_and_stays_with_one() {
    let object =
        |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    let closed = |name: &str| json!({"properties": {name: {}}, "additionalProperties": false});
    turn_into(vec![
        (
            json!({"allOf": [{"$ref": "#/$defs/A"}], "description": "Mine.", "$defs": {"A": {"type": "string", "description": "A's."}}}),
            json!({"type": "string", "description": "Mine."}),
        ),
        (
            json!({"allOf": [object("a"), object("b"), {"required": ["a"]}]}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a", "b"], "additionalProperties": false}),
        ),
        (
            json!({"minLength": 1, "allOf": [{"minLength": 2}]}),
            json!({"minLength": 1, "allOf": [{"minLength": 2}]}),
        ),
        (
            json!({"allOf": [{"type": "string"}, {"not": {"const": "x"}}]}),
            json!({"allOf": [{"type": "string"}, {"not": {"const": "x", "type": "string"}}]}),
        ),
        // What one member closes is not opened by another, whichever stands first.
        (
            json!({"allOf": [closed("a"), {"properties": {"b": {}}}]}),
            json!({"allOf": [closed("a"), {"properties": {"b": {}}}]}),
        ),
        (
            json!({"allOf": [{"properties": {"b": {}}}, closed("a")]}),
            json!({"allOf": [{"properties": {"b": {}}}, closed("a")]}),
        ),
        (
            json!({"allOf": [{"properties": {"a": {}}, "additionalProperties": true}, {"properties": {"b": {}}}]}),
            json!({"properties": {"a": {}, "b": {}}, "additionalProperties": true}),
        ),
        // Members that stay are no whole objects: closing each would leave nothing.
        (
            json!({"allOf": [object("a"), {"type": "object", "properties": {"a": {"maxLength": 1}}}]}),
            json!({"allOf": [object("a"), {"type": "object", "properties": {"a": {"maxLength": 1}}}]}),
        ),
    ]);
}

#[test]
fn s8_null_has_one_form() {
    let same = |schema: Value| (schema.clone(), schema);
    let optional = |schema: Value| json!({"properties": {"x": schema}, "additionalProperties": false});
    let object = json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false});
    turn_into(vec![
        (
            json!({"anyOf": [{"anyOf": [{"type": "integer"}, {"type": "boolean"}]}, {"type": "null"}]}),
            json!({"anyOf": [{"type": "integer"}, {"type": "boolean"}, {"type": "null"}]}),
        ),
        (
            json!({"anyOf": [{"anyOf": [{"type": "integer"}, {"type": "boolean"}], "description": "D."}, {"type": "null"}]}),
            json!({"anyOf": [{"anyOf": [{"type": "integer"}, {"type": "boolean"}], "description": "D."}, {"type": "null"}]}),
        ),
        (
            json!({"anyOf": [{"type": "null"}, {"type": "array", "items": true}]}),
            json!({"type": ["array", "null"], "items": {}}),
        ),
        (
            json!({"anyOf": [{"const": "a"}, {"type": "null"}]}),
            json!({"type": ["string", "null"], "enum": ["a", null]}),
        ),
        (
            json!({"anyOf": [{"type": "integer", "minimum": 1, "description": "Inner."}, {"type": "null"}], "description": "Outer."}),
            json!({"type": ["integer", "null"], "minimum": 1, "description": "Outer."}),
        ),
        (json!({"oneOf": [{"type": "null"}, object]}), json!({"anyOf": [object, {"type": "null"}]})),
        same(json!({"oneOf": [{"minimum": 1}, {"type": "null"}]})),
        (
            json!({"anyOf": [{"type": ["integer", "null"]}, {"type": "null"}]}),
            json!({"type": ["integer", "null"]}),
        ),
        same(json!({"anyOf": [{"type": ["integer"]}, {"type": "null"}]})),
        same(json!({"anyOf": [{"type": ["integer", "string"]}, {"type": "null"}]})),
        same(json!({"type": ["object", "null"], "enum": [{"a": 1}, null]})),
        same(json!({"type": ["object", "null"], "const": null})),
        same(json!({"type": ["object", "string", "null"], "minProperties": 1})),
        // Of a property that may be left out null goes, but never all that it says.
        (optional(json!({"anyOf": [object, {"type": "null"}]})), optional(object.clone())),
        same(optional(json!({"type": ["null"]}))),
        same(optional(json!({"anyOf": [{"type": "string"}]}))),
        (
            optional(
                json!({"type": "string", "anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}]}),
            ),
            optional(json!({"type": "string", "minLength": 1})),
        ),
        (
            optional(json!({"type": "string", "anyOf": [{"type": "integer"}, {"type": "null"}]})),
            optional(json!({"type": "string", "anyOf": [{"type": "integer"}]})),
        ),
        (
            json!({"type": ["object", "null"], "properties": {"a": true}, "description": "D."}),
            json!({"anyOf": [object, {"type": "null"}], "description": "D."}),
        ),
        (
            json!({"anyOf": [{"type": ["string", "integer"]}, {"type": "null"}]}),
            json!({"anyOf": [{"type": ["string", "integer"]}, {"type": "null"}]}),
        ),
    ]);
}

#[test]
fn s9_flattened_enums_become_unions_of_whole_objects() {
    let case =
        |tag: &str, name: &str| json!({"properties": {tag: {"const": name}, "own": {}}, "required": [tag]});
    let whole = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let tag = |name: &str| json!({"const": name, "type": "string"});
    turn_into(vec![
        (
            json!({"type": "object", "properties": {"a": {}}, "required": ["a"], "description": "D.", "oneOf": [case("t", "x")]}),
            json!({"description": "D.", "oneOf": [whole(json!({"t": tag("x"), "a": {}, "own": {}}), json!(["t", "a"]))]}),
        ),
        // An external enum has no tag.
        (
            json!({"properties": {"a": {}}, "oneOf": [{"type": "object", "properties": {"V": {"type": "null"}}, "required": ["V"]}]}),
            json!({"oneOf": [whole(json!({"a": {}, "V": {"type": "null"}}), json!(["V"]))]}),
        ),
        // Two enums: every pair.
        (
            json!({"properties": {"a": {}}, "allOf": [{"oneOf": [case("t", "x"), case("t", "y")]}, {"oneOf": [case("u", "z")]}]}),
            json!({"oneOf": [
                whole(json!({"t": tag("x"), "u": tag("z"), "a": {}, "own": {}}), json!(["t", "u"])),
                whole(json!({"t": tag("y"), "u": tag("z"), "a": {}, "own": {}}), json!(["t", "u"])),
            ]}),
        ),
        // An enum that may be left out.
        (
            json!({"properties": {"a": {}}, "required": ["a"], "anyOf": [{"oneOf": [case("t", "x")]}, {}]}),
            json!({"anyOf": [
                whole(json!({"t": tag("x"), "a": {}, "own": {}}), json!(["t", "a"])),
                whole(json!({"a": {}}), json!(["a"])),
            ]}),
        ),
        // Open to further properties.
        (
            json!({"properties": {"a": {}}, "unevaluatedProperties": true, "oneOf": [case("t", "x")]}),
            json!({"oneOf": [{"type": "object", "properties": {"t": tag("x"), "a": {}, "own": {}}, "required": ["t"], "additionalProperties": true}]}),
        ),
        (
            json!({"properties": {"a": {}}, "additionalProperties": {"type": "string"}, "oneOf": [case("t", "x")]}),
            json!({"oneOf": [{"type": "object", "properties": {"t": tag("x"), "a": {}, "own": {}}, "required": ["t"],
                "additionalProperties": {"type": "string"}}]}),
        ),
        // An alternative that is no object: the union stays, and the object is closed around it.
        (
            json!({"properties": {"a": {}}, "anyOf": [{"type": "string"}, {"properties": {"b": {}}}]}),
            json!({"properties": {"a": {}}, "anyOf": [{"type": "string"}, {"properties": {"b": {}}}], "unevaluatedProperties": false}),
        ),
    ]);
}

#[test]
fn s9_enums_combine_to_as_many_objects_as_are_still_read() {
    let union = |cases: usize, tag: &str| -> Value {
        let case =
            |i| json!({"type": "object", "properties": {tag: {"const": format!("{i}")}}, "required": [tag]});
        json!({"oneOf": (0..cases).map(case).collect::<Vec<Value>>()})
    };
    let combined = |one: usize, other: usize| {
        let schema = json!({"properties": {"a": {}}, "allOf": [union(one, "t"), union(other, "u")]});
        canonical(&schema).unwrap()["oneOf"].as_array().map(Vec::len)
    };
    assert_eq!(combined(16, 16), Some(256));
    assert_eq!(combined(16, 17), None);
}

#[test]
fn s10_to_s12_objects_are_ordered_closed_and_without_needless_null() {
    turn_into(vec![
        // Where a null that goes leaves what an earlier rule is about, that holds too.
        (
            json!({"properties": {"x": {"properties": {"a": {}}, "anyOf": [
                {"oneOf": [{"properties": {"b": {}}}, {"properties": {"c": {}}}]}, {"type": "null"}]}}}),
            json!({"properties": {"x": {"oneOf": [
                {"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": false},
                {"type": "object", "properties": {"a": {}, "c": {}}, "additionalProperties": false},
            ]}}, "additionalProperties": false}),
        ),
        (
            json!({"properties": {"z": {}, "a": {}, "kind": {"const": "k"}}, "required": ["z", "kind"]}),
            json!({"properties": {"kind": {"const": "k", "type": "string"}, "z": {}, "a": {}}, "required": ["z", "kind"], "additionalProperties": false}),
        ),
        (
            json!({"properties": {"a": {"properties": {"b": {"type": ["string", "null"], "enum": ["x", null], "default": null}}}}, "required": []}),
            json!({"properties": {"a": {"properties": {"b": {"type": "string", "enum": ["x"]}}, "additionalProperties": false}}, "additionalProperties": false}),
        ),
        (
            json!({"properties": {"a": {"type": ["string", "null"], "default": null}}, "required": ["a"]}),
            json!({"properties": {"a": {"type": ["string", "null"], "default": null}}, "required": ["a"], "additionalProperties": false}),
        ),
        (
            json!({"properties": {"a": {"type": ["string", "null"], "default": null, "x-keep-null": true}}}),
            json!({"properties": {"a": {"type": ["string", "null"], "default": null, "x-keep-null": true}}, "additionalProperties": false}),
        ),
        (
            json!({"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "null"}, {"type": "boolean"}]}}}),
            json!({"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}}, "additionalProperties": false}),
        ),
        (
            json!({"properties": {"a": {"type": "null"}}}),
            json!({"properties": {"a": {"type": "null"}}, "additionalProperties": false}),
        ),
        (json!({"type": "object"}), json!({"type": "object"})),
        // A condition is not an object of its own.
        (
            json!({"properties": {"a": {}, "b": {}}, "if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}}),
            json!({"properties": {"a": {}, "b": {}}, "if": {"properties": {"a": {"const": 1, "type": "integer"}}}, "then": {"required": ["b"]}, "additionalProperties": false}),
        ),
    ]);
}

#[test]
fn the_schema_of_a_schema_only_tool_gets_only_s1_to_s3() {
    let given = json!({
        "title": "T",
        "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"type": ["string", "null"], "format": "int8"}},
        "$defs": {"A": true},
    });
    assert_eq!(
        inlined(&given).unwrap(),
        json!({"properties": {"a": {}, "b": {"type": ["string", "null"], "format": "int8"}}})
    );
}
