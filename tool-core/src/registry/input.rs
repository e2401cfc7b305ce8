//! What is refused as the input schema of a schema-only tool.

use serde_json::Value;

use super::problem::ProblemCode;
use crate::depth;
use crate::schema::{circle, inlined};

/// The most characters of a sentence about a schema.
const SHOWN_CHARACTERS: usize = 300;

/// Most bytes of such a schema, as compact JSON, where nothing else is set
/// ([`DynToolBuilder::max_schema_bytes`](super::DynToolBuilder::max_schema_bytes)).
pub const MAX_SCHEMA_BYTES: usize = 262_144;

/// Most levels of such a schema.
pub const MAX_SCHEMA_DEPTH: usize = 32;

/// What is wrong with a schema, and where.
pub(super) struct SchemaFault {
    pub(super) code: ProblemCode,
    /// RFC 6901 pointer into the schema.
    pub(super) pointer: String,
    pub(super) text: String,
}

fn fault<T>(pointer: impl Into<String>, text: impl Into<String>) -> Result<T, SchemaFault> {
    Err(SchemaFault { code: ProblemCode::SchemaInvalid, pointer: pointer.into(), text: text.into() })
}

/// What is wrong with a schema of any size: the code, the pointer and what is said.
pub(crate) fn fault_of(schema: &Value) -> Option<(ProblemCode, String, String)> {
    check(schema, usize::MAX).err().map(|fault| (fault.code, fault.pointer, fault.text))
}

/// Checks size, depth, root, references, what the decoder makes of it, and validity, in this order.
pub(super) fn check(schema: &Value, max_bytes: usize) -> Result<(), SchemaFault> {
    if depth::exceeds(schema, MAX_SCHEMA_DEPTH) {
        return fault("", format!("it is nested deeper than {MAX_SCHEMA_DEPTH} levels"));
    }
    if schema.to_string().len() > max_bytes {
        return fault("", format!("it is larger than {max_bytes} bytes"));
    }
    match schema {
        Value::Bool(false) => {
            return Err(SchemaFault {
                code: ProblemCode::SchemaFalse,
                pointer: String::new(),
                text: "it accepts nothing".to_owned(),
            });
        }
        Value::Object(_) => {}
        _ => return fault("", "it is not an object"),
    }
    if let Some((pointer, target)) = remote_reference(schema, String::new()) {
        return Err(SchemaFault {
            code: ProblemCode::SchemaRemoteRef,
            pointer,
            text: format!("`{target}` is not in this schema; only references that begin with # are followed"),
        });
    }
    if !is_object_schema(schema) {
        return fault(
            "/type",
            "the arguments are an object: write `\"type\": \"object\"`, or a union of objects",
        );
    }
    if let Some(reference) = circle(schema) {
        let shown: String = reference.chars().take(80).collect();
        return fault("", format!("`{shown}` leads back to itself without going into the value"));
    }
    if let Err(problem) = inlined(schema) {
        let code = ProblemCode::of_schema(problem.code);
        return Err(SchemaFault { code, pointer: problem.pointer, text: problem.text });
    }
    validate(schema)
}

/// The schema must be valid 2020-12, and its patterns must compile in the linear engine.
fn validate(schema: &Value) -> Result<(), SchemaFault> {
    if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
        return fault(error.instance_path().to_string(), shown(&error));
    }
    let built = jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .with_pattern_options(jsonschema::PatternOptions::regex())
        .build(schema);
    match built {
        Ok(_) => Ok(()),
        Err(error) => fault(error.instance_path().to_string(), shown(&error)),
    }
}

/// What is wrong with a schema, without most of it: a value that the sentence quotes may be the schema itself.
fn shown(error: &jsonschema::ValidationError<'_>) -> String {
    let text = error.to_string();
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

fn is_object_schema(schema: &Value) -> bool {
    let says_object = match schema.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(_) => false,
        None => schema.get("properties").is_some(),
    };
    let union = ["oneOf", "anyOf"].iter().find_map(|key| schema.get(*key)).and_then(Value::as_array);
    says_object
        || schema.get("$ref").is_some()
        || union.is_some_and(|cases| cases.iter().all(is_object_schema))
}

/// The first reference that leaves the schema, with its pointer.
fn remote_reference(value: &Value, pointer: String) -> Option<(String, String)> {
    let step = |key: &str| format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::Object(members) => members.iter().find_map(|(key, inner)| match (key.as_str(), inner) {
            ("$ref" | "$dynamicRef", Value::String(target)) if !target.starts_with('#') => {
                Some((step(key), target.chars().take(80).collect()))
            }
            ("const" | "enum" | "default" | "examples", _) => None,
            _ => remote_reference(inner, step(key)),
        }),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, inner)| remote_reference(inner, format!("{pointer}/{index}"))),
        _ => None,
    }
}
