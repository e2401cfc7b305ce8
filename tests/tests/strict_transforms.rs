//! Strict schemas are what the providers' own SDKs would send: their transforms change nothing about them. What is
//! expected stands in `golden/strict.json` (`UPDATE=1` writes it); `sdk/strict.sh` shows it, and the vectors, to the SDKs.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test, and say what they skip"
)]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};
use tool_core::Registry;
use tool_core::dialect::{Wire, compile};
use tool_std as _;

const APIS: [(&str, Wire); 2] = [("openai", Wire::OpenAiStrict), ("anthropic", Wire::AnthropicStrict)];

/// What a form treats in its own way, by name.
fn constructs() -> Vec<(&'static str, Value)> {
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let tagged = |tag: &str, size: &str| {
        object(
            json!({"kind": {"type": "string", "const": tag}, size: {"type": "number"}}),
            json!(["kind", size]),
        )
    };
    let node = object(
        json!({"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}, "default": []}}),
        json!(["name"]),
    );
    let mut tree = object(json!({"tree": {"$ref": "#/$defs/Node"}}), json!(["tree"]));
    tree["$defs"] = json!({ "Node": node });
    vec![
        ("none", object(json!({}), json!([]))),
        (
            "scalars",
            object(
                json!({"q": {"type": "string", "minLength": 1, "description": "Words"}, "n": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
                    "mode": {"type": "string", "enum": ["a", "b"]}, "code": {"type": "string", "pattern": "^[a-z]+$"}, "on": {"type": "boolean", "default": false}}),
                json!(["q"]),
            ),
        ),
        (
            "formats",
            object(
                json!({"id": {"type": "string", "format": "uuid"}, "at": {"type": "string", "format": "uri"}, "odd": {"type": "string", "format": "byte"}}),
                json!(["id"]),
            ),
        ),
        (
            "lists",
            object(
                json!({"a": {"type": "array", "items": {"type": ["string", "null"]}, "minItems": 2, "maxItems": 4}, "b": {"type": "array", "items": {"type": "integer"}, "uniqueItems": true}}),
                json!(["a"]),
            ),
        ),
        (
            "union",
            object(
                json!({"shape": {"oneOf": [tagged("circle", "radius"), tagged("square", "side")]}}),
                json!(["shape"]),
            ),
        ),
        ("root-union", json!({"oneOf": [tagged("circle", "radius"), tagged("square", "side")]})),
        (
            "entries",
            object(
                json!({"labels": {"type": "object", "x-entries": true, "additionalProperties": {"type": "string"}, "maxProperties": 3}}),
                json!([]),
            ),
        ),
        ("tree", tree),
        (
            "odd-names",
            object(
                json!({"enum": {"type": "string"}, "type": {"type": "integer"}, "$ref": {"type": "string"}}),
                json!(["enum", "type"]),
            ),
        ),
    ]
}

/// Every strict schema of the standard tools and the constructs, by API and name.
fn made() -> Value {
    let registry = Registry::builder().discover().build().unwrap();
    assert!(registry.len() >= 18, "the standard tools are linked");
    let tools = registry
        .iter()
        .map(|entry| (entry.name().to_owned(), entry.def().input_schema().unwrap().decoded().clone()));
    let all: Vec<(String, Value)> = tools
        .chain(constructs().into_iter().map(|(name, schema)| (format!("construct {name}"), schema)))
        .collect();
    let of = |wire: Wire| -> Map<String, Value> {
        let compiled = all.iter().map(|(name, schema)| (name.clone(), compile(schema, wire)));
        compiled.filter(|row| row.1.strict).map(|(name, compiled)| (name, compiled.schema.unwrap())).collect()
    };
    APIS.iter().map(|(api, wire)| ((*api).to_owned(), Value::Object(of(*wire)))).collect::<Map<_, _>>().into()
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/strict.json")
}

#[test]
fn strict_schemas_are_the_expected_ones() {
    let made = made();
    for (api, _) in APIS {
        assert!(made[api].as_object().unwrap().len() >= 15, "{api}: {made}");
    }
    if tool_trials::updates() {
        std::fs::write(golden(), serde_json::to_string_pretty(&made).unwrap() + "\n").unwrap();
    }
    let expected: Value = serde_json::from_str(&std::fs::read_to_string(golden()).unwrap()).unwrap();
    for (api, _) in APIS {
        for (name, schema) in expected[api].as_object().unwrap() {
            assert_eq!(&made[api][name], schema, "{api}: {name}");
        }
        assert_eq!(made[api].as_object().unwrap().len(), expected[api].as_object().unwrap().len(), "{api}");
    }
}

/// The strict schemas of the vectors, as far as they are here.
fn of_the_vectors() -> Vec<Value> {
    let Some((cases, _)) = tool_trials::vectors::cases("adapters.json") else { return Vec::new() };
    let mut all = Vec::new();
    for case in cases.iter().filter(|case| case["kind"] == "compile") {
        for (api, _) in APIS {
            let expected = &case["expect"][format!("{api}_strict")];
            if expected["strict"] == true {
                all.push(json!({"id": case["id"], "api": api, "schema": expected["schema"]}));
            }
        }
    }
    all
}

#[test]
fn the_official_transforms_change_nothing() {
    let Some(modules) = std::env::var_os("TOOL_SDK").map(PathBuf::from) else {
        println!("skipped: tests/sdk/strict.sh installs the SDKs and asks for this");
        return;
    };
    let expected = made();
    let of_ours = APIS.iter().flat_map(|(api, _)| {
        let schemas = expected[*api].as_object().unwrap().iter();
        schemas.map(move |(name, schema)| json!({"id": name, "api": api, "schema": schema}))
    });
    let mut schemas: Vec<Value> = of_ours.collect();
    let own = schemas.len();
    schemas.extend(of_the_vectors());
    // A schema that a transform does change, so that silence means something.
    let open = json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}});
    schemas.extend(APIS.map(|(api, _)| json!({"id": "open", "api": api, "schema": open})));

    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("sdk/transforms.mjs");
    let node = std::env::var_os("TOOL_SDK_NODE").unwrap_or_else(|| "node".into());
    let mut child = Command::new(node)
        .arg(script)
        .arg(&modules)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(json!(schemas).to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let changed: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let (meant, changed): (Vec<Value>, Vec<Value>) = changed.into_iter().partition(|row| row["id"] == "open");
    assert_eq!(meant.len(), APIS.len(), "the transforms are not at work");
    assert!(changed.is_empty(), "{}", serde_json::to_string_pretty(&changed).unwrap());
    println!(
        "transforms: {own} own schemas and {} of the vectors, none changed",
        schemas.len() - own - APIS.len()
    );
}
