//! Laws of the canonical form, for schemas that nobody wrote by hand: it is its own canonical form, it stays a valid
//! schema, and it never grows null branches or open objects.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tool_core::schema::canonical;

const NAMES: [&str; 5] = ["a", "b", "kind", "title", "$ref"];

fn leaf() -> impl Strategy<Value = Value> {
    let number = (0..8_usize, any::<bool>()).prop_map(|(i, bounded)| {
        let format = ["int8", "uint8", "int32", "uint32", "int64", "uint64", "float", "double"]
            .get(i)
            .copied()
            .unwrap();
        let kind = if i < 6 { "integer" } else { "number" };
        let mut schema = json!({"type": kind, "format": format});
        if bounded {
            schema["minimum"] = json!(1);
        }
        schema
    });
    prop_oneof![
        Just(json!({})),
        Just(json!(true)),
        Just(json!({"type": "boolean", "title": "Flag"})),
        Just(json!({"type": "null"})),
        number,
        Just(json!({"type": ["integer", "null"], "format": "uint8"})),
        Just(json!({"type": "string", "format": "uuid", "minLength": 1})),
        Just(json!({"type": ["string", "null"], "description": " Text. "})),
        Just(json!({"const": "x", "description": "The x."})),
        Just(json!({"const": "y"})),
        Just(json!({"enum": ["x", "z"]})),
        Just(json!({"enum": ["x", null, 1, 2.5]})),
        Just(json!({"enum": ["p", null]})),
        prop::sample::select(vec!["A", "B", "C"]).prop_map(|name| json!({"$ref": format!("#/$defs/{name}")})),
        prop::sample::select(vec!["A", "B"]).prop_map(
            |name| json!({"$ref": format!("#/$defs/{name}"), "description": "Beside.", "default": null})
        ),
        Just(json!({"$ref": "#"})),
    ]
}

fn object(inner: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Value> {
    let property = (prop::sample::select(NAMES.to_vec()), inner.clone(), any::<bool>());
    let others = prop_oneof![
        4 => Just(None),
        1 => Just(Some(json!(false))),
        1 => Just(Some(json!({}))),
        1 => Just(Some(json!(true))),
        1 => inner.prop_map(Some),
    ];
    (prop::collection::vec(property, 0..4), others, any::<bool>(), any::<bool>()).prop_map(
        |(properties, others, typed, nullable)| {
            let required: Vec<&str> = properties.iter().filter(|p| p.2).map(|p| p.0).collect();
            let named: Map<String, Value> =
                properties.iter().map(|p| (p.0.to_owned(), p.1.clone())).collect();
            let mut required: Vec<&str> = required;
            required.sort_unstable();
            required.dedup();
            let mut schema = json!({"properties": named, "required": required});
            if typed {
                schema["type"] = if nullable { json!(["object", "null"]) } else { json!("object") };
            }
            if let Some(others) = others {
                schema["additionalProperties"] = others;
            }
            schema
        },
    )
}

fn schema() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4);
        let union = (prop::sample::select(vec!["oneOf", "anyOf", "allOf"]), list, any::<bool>()).prop_map(
            |(keyword, branches, described)| {
                let mut schema = json!({ keyword: branches });
                if described {
                    schema["description"] = json!("A union.");
                }
                schema
            },
        );
        let nullable = (inner.clone(), any::<bool>()).prop_map(|(inner, described)| {
            let mut schema = json!({"anyOf": [inner, {"type": "null"}]});
            if described {
                schema["description"] = json!("Perhaps.");
            }
            schema
        });
        let flattened = (object(inner.clone()), union.clone()).prop_map(|(mut object, union)| {
            for (keyword, value) in union.as_object().unwrap() {
                object[keyword] = value.clone();
            }
            object
        });
        prop_oneof![
            object(inner.clone()),
            union,
            nullable,
            flattened,
            inner.clone().prop_map(|items| json!({"type": "array", "items": items, "uniqueItems": true})),
            prop::collection::vec(inner.clone(), 1..3)
                .prop_map(|items| json!({"type": "array", "prefixItems": items, "items": false})),
            inner.clone().prop_map(|values| json!({"type": "object", "additionalProperties": values})),
            inner.prop_map(|inner| json!({"if": inner.clone(), "then": inner, "$comment": "why"})),
        ]
    })
}

fn document() -> impl Strategy<Value = Value> {
    (schema(), schema(), schema(), schema()).prop_map(|(root, a, b, c)| {
        let mut root = match root {
            Value::Object(root) => root,
            _ => Map::new(),
        };
        root.insert("title".into(), json!("Root"));
        root.insert("$defs".into(), json!({"A": a, "B": b, "C": c, "Ghost": {"$ref": "https://elsewhere"}}));
        Value::Object(root)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: tool_trials::cases(), max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn canonicalising_a_canonical_schema_changes_nothing(raw in document()) {
        // Text compares the order of every key, too.
        if let Ok(once) = canonical(&raw) {
            let twice = canonical(&once).unwrap();
            prop_assert_eq!(sorted(&twice), sorted(&once), "raw: {}", raw);
        }
    }

    #[test]
    fn a_canonical_schema_is_a_valid_one(raw in document()) {
        if let Ok(schema) = canonical(&raw) {
            prop_assert!(jsonschema::draft202012::meta::is_valid(&schema), "{}\nraw: {}", schema, raw);
            prop_assert!(!schema.to_string().contains("notes"), "{}", schema);
            if let Err(error) = jsonschema::draft202012::new(&schema) {
                prop_assert!(false, "{error}: {schema}\nraw: {raw}");
            }
        }
    }

    #[test]
    fn arbitrary_json_is_no_panic(raw in document(), key in "[a-zA-Z$]{1,12}") {
        let mut raw = raw;
        raw[key] = json!([1, {"$ref": 5}, "x"]);
        raw["properties"] = json!(7);
        let _ = canonical(&raw);
        let _ = canonical(&json!({"items": raw, "$ref": 5}));
    }
}

/// A schema as text where only the order of properties counts.
fn sorted(schema: &Value) -> String {
    match schema {
        Value::Object(keywords) => {
            let mut parts: Vec<String> = keywords
                .iter()
                .map(|(keyword, value)| match (keyword.as_str(), value) {
                    ("properties", Value::Object(named)) => {
                        let named: Vec<String> =
                            named.iter().map(|(n, s)| format!("{n:?}:{}", sorted(s))).collect();
                        format!("properties:{{{}}}", named.join(","))
                    }
                    _ => format!("{keyword:?}:{}", sorted(value)),
                })
                .collect();
            parts.sort_unstable();
            format!("{{{}}}", parts.join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}
