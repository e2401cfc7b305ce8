//! The cases of arguments.json: each `decode` case by type and by schema, each `schema` and `canonical` case.
//!
//! By type, a seed interprets the type language: it asks the decoder for exactly what derived code would ask for.

use serde_json::{Map, Value, json};
use tool_core::args::{Args, Coerce, MAX_ARGS_BYTES, did_you_mean, parse_arguments};
use tool_core::def::{Cache, ToolDef, ToolKeys};
use tool_core::{ArgIssue, ToolError};

use super::judge_all;
use super::typed::Typed;
use super::{arguments_schema, type_language};

/// Fewer cases mean that the file was cut.
const LEAST: usize = 220;

/// What decoding gave: the normal form and the notes.
pub(crate) type Decoded = Result<(Map<String, Value>, Vec<Value>), ToolError>;

#[test]
fn vectors_arguments() {
    judge_all("arguments", LEAST, |case| match case["kind"].as_str() {
        Some("decode") => run_decode_case(case),
        Some("schema") => arguments_schema::run_schema_case(case),
        Some("canonical") => arguments_schema::run_canonical_case(case),
        _ => Err(format!("unknown kind {}", case["kind"])),
    });
}

/// A case must come out as expected by type and, unless only types can tell, by schema.
pub(crate) fn run_decode_case(case: &Value) -> Result<(), String> {
    let tool = type_language::tool(case);
    for tool in [tool, told_by_type(tool, &case["params"])] {
        compare(by_type(tool, &case["params"], input(case)), &case["expect"])
            .map_err(|difference| format!("by type: {difference}"))?;
    }
    if case["only"] == "typed" {
        return Ok(());
    }
    let tool = schema_only(tool);
    compare(by_schema(tool, input(case)), &case["expect"])
        .map_err(|difference| format!("by schema: {difference}"))
}

/// The tool with the mark that the macro puts on types whose schema says all that their decoding checks.
pub(crate) fn told_by_type(tool: &'static ToolDef<'static>, params: &Value) -> &'static ToolDef<'static> {
    fn is_simple(kind: &Value) -> bool {
        match kind[0].as_str() {
            Some("option" | "list" | "map") => is_simple(&kind[1]),
            Some(_) => false,
            None => kind != "any",
        }
    }
    let mut marked = tool.params.to_vec();
    for (param, given) in marked.iter_mut().zip(params.as_array().into_iter().flatten()) {
        param.simple = is_simple(&given["type"]);
    }
    let cache: &'static Cache = Box::leak(Box::new(Cache::new()));
    Box::leak(Box::new(ToolDef { params: marked.leak(), cache, ..*tool }))
}

/// What a case sends: a value, or text for the strict parser.
fn input(case: &Value) -> Result<Value, ToolError> {
    match case["text"].as_str() {
        Some(text) => parse_arguments(text, MAX_ARGS_BYTES),
        None => Ok(case["input"].clone()),
    }
}

/// Decodes every parameter through the seed of its type, like generated code.
pub(crate) fn by_type(
    tool: &'static ToolDef<'static>,
    params: &Value,
    input: Result<Value, ToolError>,
) -> Decoded {
    let mut args = Args::new(tool, input?, Coerce::Lenient)?;
    let mut typed = Map::new();
    for (i, param) in params.as_array().into_iter().flatten().enumerate() {
        let seed = Typed::of(&param["type"]);
        match args.take_seed(i, seed) {
            Some(Some(Value::Object(members))) if param["flatten"] == true => typed.extend(members),
            Some(Some(value)) => {
                typed.insert(tool.params[i].name.to_owned(), value);
            }
            // What must be given and is none was given as null.
            Some(None) if tool.params[i].required => {
                typed.insert(tool.params[i].name.to_owned(), Value::Null);
            }
            Some(None) | None => {}
        }
    }
    args.finish()?;
    let normal = args.normal().clone();
    assert_eq!(text(&meaning(&typed)), text(&meaning(&normal)), "the types hold what the normal form says");
    Ok((normal, notes(&args)))
}

/// The tool of a case as a schema-only one: its canonical schema, and what is not in it beside it.
pub(crate) fn schema_only(tool: &'static ToolDef<'static>) -> &'static ToolDef<'static> {
    let schema = tool.input_schema().expect("the schema of a case").schema().clone();
    let cache: &'static Cache = Box::leak(Box::new(Cache::new()));
    let keys = ToolKeys { input: Some(Box::leak(Box::new(schema))), ..*tool.keys };
    Box::leak(Box::new(ToolDef { keys: Box::leak(Box::new(keys)), cache, ..*tool }))
}

/// Decodes the whole input by its schema.
pub(crate) fn by_schema(tool: &'static ToolDef<'static>, input: Result<Value, ToolError>) -> Decoded {
    let mut args = Args::new(tool, input?, Coerce::Lenient)?;
    let object = args.take_object();
    args.finish()?;
    let object = object.expect("an object where nothing is wrong");
    assert_eq!(&object, args.normal());
    Ok((object, notes(&args)))
}

fn notes(args: &Args<'_>) -> Vec<Value> {
    args.notes().iter().map(|note| json!(note)).collect()
}

/// Values as types hold them: without the difference between 5 and 5.0, and with the precision of an `f32`.
fn meaning(members: &Map<String, Value>) -> Value {
    fn of(value: &Value) -> Value {
        match value {
            #[allow(clippy::cast_possible_truncation, reason = "that is the point")]
            Value::Number(number) => json!(format!("{}", number.as_f64().unwrap_or(f64::NAN) as f32)),
            Value::Array(items) => items.iter().map(of).collect(),
            Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), of(value))).collect(),
            other => other.clone(),
        }
    }
    members.iter().map(|(key, value)| (key.clone(), of(value))).collect()
}

fn text(value: &Value) -> String {
    value.to_string()
}

fn compare(decoded: Decoded, expect: &Value) -> Result<(), String> {
    match (decoded, expect.get("args")) {
        (Ok((args, notes)), Some(expected)) => {
            equal("args", &Value::Object(args), expected)?;
            equal("notes", &json!(notes), &expect["notes"])
        }
        (Ok((args, _)), None) => Err(format!("accepted as {}", Value::Object(args))),
        (Err(error), Some(_)) => Err(format!("refused: {}", error.to_json())),
        (Err(error), None) => {
            equal("error_code", &json!(error.code_str()), &expect["error_code"])?;
            let expected = expect["issues"].as_array().map_or(&[][..], Vec::as_slice);
            let issues = error.arg_issues();
            if issues.len() != expected.len() {
                return Err(format!("{} issues, not {}: {}", issues.len(), expected.len(), json!(issues)));
            }
            issues.iter().zip(expected).try_for_each(|(issue, expected)| same_issue(issue, expected))
        }
    }
}

fn same_issue(issue: &ArgIssue, expected: &Value) -> Result<(), String> {
    let issue = json!(issue);
    for member in ["path", "code", "expected", "got"] {
        if let Some(expected) = expected.get(member) {
            equal(member, &issue[member], expected)?;
        }
    }
    let suggested = expected["suggest"].as_array().map(|names| {
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        json!(did_you_mean(&names))
    });
    let hint = suggested.unwrap_or_else(|| expected["hint"].clone());
    equal("hint", &issue["hint"], &hint)
}

/// Equal as text: the order of keys counts.
fn equal(what: &str, got: &Value, expected: &Value) -> Result<(), String> {
    if text(got) == text(expected) { Ok(()) } else { Err(format!("{what} is {got}, not {expected}")) }
}
