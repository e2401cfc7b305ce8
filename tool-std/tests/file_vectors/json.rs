//! Attacks of the catalogue that are no call of a file tool: schemas, arguments and results that are hostile by their shape.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{Behavior, Call, Caller, DynTool, Executor, Registry, RegistryError};

use crate::scene;

/// Branches that each level of a schema doubles: 2^20 at its end.
const LEVELS: usize = 20;
/// Keys whose hashes have their low bits in common.
const KEYS: usize = 65_536;
/// Those bits, of the hash function of the standard library with the key zero.
const COMMON: u64 = 0xf;

/// One attack by its number.
pub(crate) fn attack(case: &Value) -> Result<Vec<String>, String> {
    let keys = (case["id"] == "json-017").then(|| colliding().to_string());
    let start = Instant::now();
    let raw = || scene::expand(&case["call"]["raw_args"]);
    let result = match case["id"].as_str().unwrap() {
        "json-014" => doubling(),
        "json-015" => with_schema(case["call"]["register_schema"].clone(), raw().as_str().unwrap()),
        "json-016" => {
            let schema = json!({"properties": {"a": {"type": "array", "uniqueItems": true}}});
            with_schema(schema, &json!({"a": (0..100_000).collect::<Vec<_>>()}).to_string())
        }
        "json-017" => with_schema(json!({}), &keys.unwrap_or_default()),
        "json-019" => returned_deep(case["call"]["fault"].as_str().unwrap()),
        "secrets-009" => panicked(),
        other => return Err(format!("a test of {other}")),
    };
    let any = case["expect"]["any"].as_array().cloned().unwrap_or_else(|| vec![case["expect"].clone()]);
    let mut wrong = any
        .iter()
        .map(|expect| scene::compare(expect, case, &result))
        .min_by_key(Vec::len)
        .unwrap_or_default();
    if scene::is_late(case, start) {
        wrong.push(format!("took {:?}", start.elapsed()));
    }
    Ok(wrong)
}

fn executor(registry: Result<Registry, RegistryError>) -> Result<Executor, ToolError> {
    Executor::standard(registry.map_err(refused)?).build()
}

/// A tool that cannot be registered is not configured.
fn refused(error: RegistryError) -> ToolError {
    ToolError::not_configured(error.to_string())
}

/// Registers a tool by a schema and calls it with a text.
fn with_schema(mut schema: Value, text: &str) -> Result<Value, ToolError> {
    schema["type"] = json!("object");
    let tool = DynTool::builder("hostile")
        .description("Takes what its schema takes.")
        .input_schema(schema)
        .behavior(Behavior::READ)
        .handler_sync(|_: Value, _: ToolContext| Ok(ToolOutput::structured(json!({}))))
        .build()
        .map_err(refused)?;
    let executor = executor(Registry::builder().add_dyn(tool).build())?;
    let output = executor.call_text_blocking("hostile", text, &ToolContext::empty(), Caller::Test)?;
    Ok(output.data())
}

/// A schema whose branches double at each level and end in a circle, and a value that fits none.
fn doubling() -> Result<Value, ToolError> {
    let mut definitions = json!({});
    for level in 0..LEVELS {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        definitions[format!("d{level}")] =
            json!({"anyOf": [{"allOf": [next, next]}, {"allOf": [next, next]}]});
    }
    definitions[format!("d{LEVELS}")] =
        json!({"$dynamicAnchor": "end", "anyOf": [{"type": "string"}, {"$dynamicRef": "#end"}]});
    let schema = json!({"properties": {"s": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    with_schema(schema, r#"{"s":5}"#)
}

/// An object whose keys collide in the low bits of their hashes.
fn colliding() -> Value {
    let hash = |key: &str| {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        hasher.finish()
    };
    let keys = (0_u64..).map(|number| number.to_string()).filter(|key| hash(key) & COMMON == 0);
    keys.take(KEYS).map(|key| (key, Value::Null)).collect::<serde_json::Map<_, _>>().into()
}

/// The depth that the catalogue speaks of.
const DEEP: usize = 10_000;

/// A value that is nested as deep as that, built without recursion.
fn deep() -> Value {
    (0..DEEP).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
}

/// Returns bytes that are not UTF-8.
#[tool]
fn raw_bytes() -> Vec<u8> {
    vec![0xff, 0xfe, 0x00, 0x80]
}

/// Returns a deep value.
#[tool]
fn deep_value() -> Value {
    deep()
}

/// Fails with a deep value in its details.
#[tool]
fn deep_details() -> Result<String, ToolError> {
    Err(ToolError::failed("It is in the details.").detail("value", deep()))
}

/// Returns a deep value as part of its own type.
#[tool]
async fn deep_part() -> Vec<Value> {
    vec![deep()]
}

/// Bytes pass as they are written in JSON; depth is a fault of the tool, wherever the value stands.
fn returned_deep(fault: &str) -> Result<Value, ToolError> {
    assert!(fault.contains("not UTF-8") && fault.contains("10,000 deep"), "another attack: {fault}");
    let registry = Registry::builder()
        .add::<RawBytesTool>()
        .add::<DeepValueTool>()
        .add::<DeepDetailsTool>()
        .add::<DeepPartTool>();
    let executor = executor(registry.build())?;
    let call =
        |tool: &str| executor.call_blocking(Call::new(tool, json!({})), &ToolContext::empty(), Caller::Test);
    assert_eq!(call("raw_bytes")?.data(), json!([0xff, 0xfe, 0x00, 0x80]));
    for tool in ["deep_details", "deep_part"] {
        assert_eq!(call(tool).unwrap_err().code_str(), "output_too_deep", "{tool}");
    }
    Ok(call("deep_value")?.data())
}

/// Panics with a secret in its message.
#[tool]
fn bomb() -> String {
    panic!("the key is {}", scene::CANARY)
}

/// What the caller of a tool that panics is told. That nothing is written to stderr is the business of the program, whose
/// hook has the message.
fn panicked() -> Result<Value, ToolError> {
    let executor = executor(Registry::builder().add::<BombTool>().build())?;
    let error = executor
        .call_blocking(Call::new("bomb", json!({})), &ToolContext::empty(), Caller::Test)
        .unwrap_err();
    assert!(!format!("{error:?} {}", error.to_json()).contains(scene::CANARY), "{error:?}");
    Err(error)
}
