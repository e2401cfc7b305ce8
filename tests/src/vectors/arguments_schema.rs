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
    if let Some(keyword) = expected.keys().find(|keyword| !got.contains_key(*keyword)) {
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

/// What an issue at a parameter itself must say, read off the parameter's schema and the value.
#[test]
fn texts_of_decode_cases_follow_from_schema_and_value() {
    use tool_core::args::{expected, expected_range, got, got_hidden};

    let Some((cases, _)) = super::cases("arguments.json") else { return };
    let mut compared = 0;
    for case in cases.iter().filter(|case| case["kind"] == "decode") {
        let tool = type_language::tool(case);
        let input = tool.input_schema().expect("the schema of a case is valid");
        for issue in case["expect"]["issues"].as_array().into_iter().flatten() {
            let path = issue["path"].as_str().expect("a path is a text");
            let Some(at) = tool.params.iter().position(|p| !p.keys.flatten && path == format!("/{}", p.name))
            else {
                continue;
            };
            let (param, schema) = (&tool.params[at], &input.param(at).expect("a schema").schema);
            let limits = match case["params"][at]["type"].as_str() {
                Some("u64") if case["only"] == "typed" => (Some("0"), Some("18446744073709551615")),
                Some("i64") => (Some("-9223372036854775808"), Some("9223372036854775807")),
                _ => (None, None),
            };
            if issue["code"] == "range" && schema.get("items").is_some() {
                // A single value that became a list: the issue is that of the item.
                continue;
            }
            let says = match issue["code"].as_str() {
                Some("type" | "missing" | "length" | "pattern" | "choice" | "precision" | "ambiguous") => {
                    expected(schema, input.definitions())
                }
                Some("range") => expected_range(schema, input.definitions(), limits.0, limits.1),
                _ => continue,
            };
            assert_eq!(issue["expected"], says, "{}", case["id"]);
            compared += 1;
            if let Some(value) = case["input"].pointer(path) {
                let shows = if param.keys.secret { got_hidden(value) } else { got(value) };
                assert_eq!(issue["got"], shows, "{}", case["id"]);
            }
        }
    }
    assert!(compared > 30, "only {compared} texts were compared");
}
