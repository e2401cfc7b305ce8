//! The cases of arguments.json about schemas: kinds `schema` and `canonical`.

use serde_json::{Map, Value};
use tool_core::schema::canonical;

use super::type_language;

/// The schema of a case's tool must be the expected one.
pub(crate) fn run_schema_case(case: &Value) -> Result<(), String> {
    let tool = type_language::tool(case);
    let input = tool.input_schema().map_err(|error| error.to_string())?;
    same(input.schema(), &case["expect"]["schema"], "")
}

/// The canonical form of a case's schema must be the expected one, and its own canonical form.
pub(crate) fn run_canonical_case(case: &Value) -> Result<(), String> {
    let schema = canonical(&case["raw"]).map_err(|problem| problem.to_string())?;
    same(&schema, &case["expect"]["schema"], "")?;
    let again = canonical(&schema).map_err(|problem| problem.to_string())?;
    same(&again, &schema, "").map_err(|difference| format!("canonicalised again: {difference}"))
}

/// Compares schemas where the order of properties and of every list matters, and that of other keys does not.
pub(crate) fn same(got: &Value, expected: &Value, at: &str) -> Result<(), String> {
    let (Value::Object(got), Value::Object(expected)) = (got, expected) else {
        return equal(got, expected, at);
    };
    for keyword in expected.keys().filter(|keyword| !got.contains_key(*keyword)) {
        return Err(format!("{at}/{keyword} is missing"));
    }
    for (keyword, got) in got {
        let below = format!("{at}/{keyword}");
        let Some(expected) = expected.get(keyword) else {
            return Err(format!("{below} is too much: {got}"));
        };
        match (keyword.as_str(), got, expected) {
            ("properties", Value::Object(got), Value::Object(expected)) => {
                if !got.keys().eq(expected.keys()) {
                    return Err(format!("{below}: {:?}, not {:?}", keys(got), keys(expected)));
                }
                each(got, expected, &below)?;
            }
            (
                "patternProperties" | "$defs" | "dependentSchemas",
                Value::Object(got),
                Value::Object(expected),
            ) => {
                if got.len() != expected.len() || got.keys().any(|key| !expected.contains_key(key)) {
                    return Err(format!("{below}: {:?}, not {:?}", keys(got), keys(expected)));
                }
                each(got, expected, &below)?;
            }
            ("oneOf" | "anyOf" | "allOf" | "prefixItems", Value::Array(got), Value::Array(expected)) => {
                if got.len() != expected.len() {
                    return Err(format!("{below}: {} schemas, not {}", got.len(), expected.len()));
                }
                for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
                    same(got, expected, &format!("{below}/{i}"))?;
                }
            }
            ("items" | "additionalProperties" | "not" | "if" | "then" | "else" | "contains", ..) => {
                same(got, expected, &below)?;
            }
            _ => equal(got, expected, &below)?,
        }
    }
    Ok(())
}

fn each(got: &Map<String, Value>, expected: &Map<String, Value>, at: &str) -> Result<(), String> {
    got.iter().try_for_each(|(name, got)| same(got, &expected[name], &format!("{at}/{name}")))
}

fn keys(map: &Map<String, Value>) -> Vec<&String> {
    map.keys().collect()
}

fn equal(got: &Value, expected: &Value, at: &str) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("{at}: {got}, not {expected}")) }
}

#[test]
fn vectors_arguments_schema() {
    let Some(cases) = super::cases("arguments.json") else { return };
    let mut failures = Vec::new();
    for case in &cases {
        let outcome = match case["kind"].as_str() {
            Some("schema") => run_schema_case(case),
            Some("canonical") => run_canonical_case(case),
            _ => continue,
        };
        if let Err(difference) = outcome {
            failures.push(format!("{}: {difference}", case["id"]));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
