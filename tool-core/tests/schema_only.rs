//! A tool of a schema alone: its whole input, taken as one object.

#![allow(clippy::unwrap_used, reason = "it is a test throughout, its shared functions too")]

use serde_json::{Value, json};
use tool_core::{Call, Caller, DynTool, Executor, IssueCode, Registry, ToolContext, ToolError, ToolOutput};

/// What the tool of a schema is handed for an input.
fn object(schema: Value, input: Value) -> Result<Value, ToolError> {
    let echo = DynTool::builder("echo")
        .description("Returns what it is handed.")
        .input_schema(schema)
        .handler_sync(|args, _| Ok(ToolOutput::structured(args)));
    let registry = Registry::builder().add_dyn(echo.build().unwrap()).build().unwrap();
    let executor = Executor::standard(registry).build().unwrap();
    executor
        .call_blocking(Call::new("echo", input), &ToolContext::empty(), Caller::Test)
        .map(|output| output.data())
}

#[test]
fn a_schema_alone_is_a_tool_whose_open_objects_stay_open() {
    let schema = json!({
        "type": "object",
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer", "default": 5}},
        "required": ["path"],
    });
    let taken = object(schema.clone(), json!({"extra": [1], "path": 7})).unwrap();
    assert_eq!(taken.to_string(), r#"{"path":"7","limit":5,"extra":[1]}"#);
    assert_eq!(object(schema, json!({"limit": "x"})).unwrap_err().arg_issues().len(), 2);
    let values = json!({"type": "object", "properties": {}, "additionalProperties": {"type": "integer"}});
    assert_eq!(object(values.clone(), json!({"a": "1"})).unwrap()["a"], 1);
    assert_eq!(object(values, json!({"a": "b"})).unwrap_err().arg_issues()[0].path, "/a");
}

#[test]
fn keywords_beyond_the_walk_are_judged_once_the_values_are_coerced() {
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer", "multipleOf": 5}, "a": {"type": "string"}, "b": {"type": "string"}},
        "additionalProperties": false,
        "dependentRequired": {"a": ["b"]},
    });
    assert_eq!(object(schema.clone(), json!({"n": "10"})).unwrap()["n"], 10);
    let error = object(schema.clone(), json!({"n": "7"})).unwrap_err();
    assert_eq!((error.arg_issues()[0].path.as_str(), error.arg_issues()[0].code), ("/n", IssueCode::Invalid));
    assert_eq!(object(schema, json!({"a": "x"})).unwrap_err().arg_issues()[0].path, "");
}

#[test]
fn a_schema_whose_root_is_a_union_takes_the_whole_input() {
    let case = |name: &str, field: &str| {
        json!({
            "type": "object",
            "properties": {"op": {"const": name}, field: {"type": "integer"}},
            "required": ["op", field],
            "additionalProperties": false,
        })
    };
    let schema = json!({"oneOf": [case("add", "by"), case("set", "to")]});
    assert_eq!(object(schema.clone(), json!({"by": "2", "op": "add"})).unwrap()["by"], 2);
    let error = object(schema, json!({"op": "set", "by": 2})).unwrap_err();
    let issues: Vec<_> = error.arg_issues().iter().map(|issue| (issue.path.as_str(), issue.code)).collect();
    assert_eq!(issues, [("/to", IssueCode::Missing), ("/by", IssueCode::Unknown)]);
}
