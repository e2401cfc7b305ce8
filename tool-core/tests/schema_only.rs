//! A tool of a schema alone: its whole input, taken as one object.

#![allow(clippy::unwrap_used, clippy::panic, reason = "it is a test throughout, its shared functions too")]

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
    let nameless = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    assert_eq!(object(nameless, json!({"a": "1"})).unwrap()["a"], 1);
}

/// Path and code of each issue.
fn issues(taken: Result<Value, ToolError>) -> Vec<(String, IssueCode)> {
    let error = taken.unwrap_err();
    error.arg_issues().iter().map(|issue| (issue.path.clone(), issue.code)).collect()
}

#[test]
fn keys_that_a_schema_knows_by_a_pattern_are_held_to_it() {
    let patterns = json!({"^a": {"type": "integer"}});
    let closed = json!({"type": "object", "properties": {"x": {"type": "string"}}, "patternProperties": patterns,
        "additionalProperties": false});
    let open =
        json!({"type": "object", "patternProperties": patterns, "additionalProperties": {"type": "boolean"}});
    for schema in [&closed, &open] {
        assert_eq!(object(schema.clone(), json!({"ab": "1"})).unwrap()["ab"], 1);
        assert_eq!(issues(object(schema.clone(), json!({"ab": "x"}))), [("/ab".to_owned(), IssueCode::Type)]);
    }
    assert_eq!(issues(object(closed, json!({"c": true}))), [("/c".to_owned(), IssueCode::Unknown)]);
    assert_eq!(object(open.clone(), json!({"c": "true"})).unwrap()["c"], true);
    assert_eq!(issues(object(open, json!({"c": 1}))), [("/c".to_owned(), IssueCode::Type)]);
}

#[test]
fn what_a_schema_asserts_is_held_with_a_type_or_without() {
    use IssueCode::{Ambiguous, Choice, Duplicate, Length, Pattern, Range, Type};
    let either = |a: &str, b: &str| json!([{"type": a}, {"type": b}]);
    let of_one = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
    let cases = json!({"oneOf": [
        {"type": "string", "const": "stop"},
        {"type": "object", "properties": {"move": {"type": "integer"}}, "required": ["move"], "additionalProperties": false},
    ]});
    // A schema; what it does not take, where and why; what it takes, and as what.
    for (schema, refused, path, code, taken, read) in [
        (json!({"minimum": 5}), json!(4), "", Range, json!(5), json!(5)),
        (json!({"exclusiveMaximum": 0.5}), json!(0.5), "", Range, json!("0.5"), json!("0.5")),
        (json!({"maxLength": 1}), json!("ab"), "", Length, json!("a"), json!("a")),
        (json!({"pattern": "^a"}), json!("b"), "", Pattern, json!("a"), json!("a")),
        (json!({"minItems": 2}), json!([1]), "", Length, json!([1, 2]), json!([1, 2])),
        (json!({"uniqueItems": true}), json!([1, 1]), "/1", Duplicate, json!([1]), json!([1])),
        (json!({"items": {"type": "integer"}}), json!(["x"]), "/0", Type, json!(["1"]), json!([1])),
        (json!({"minProperties": 1}), json!({}), "", Length, json!({"a": 1}), json!({"a": 1})),
        (
            json!({"patternProperties": {"^a": {"type": "integer"}}}),
            json!({"a": "x"}),
            "/a",
            Type,
            json!({"a": "1"}),
            json!({"a": 1}),
        ),
        (
            json!({"properties": {"a": {"type": "integer"}}}),
            json!({"a": "x"}),
            "/a",
            Type,
            json!({"a": "1"}),
            json!({"a": 1}),
        ),
        (json!({"type": "null"}), json!(1), "", Type, json!(null), json!(null)),
        (json!({"enum": ["a", 1]}), json!(2), "", Choice, json!(1), json!(1)),
        (json!({"enum": ["a", 1, null]}), json!("b"), "", Choice, json!(null), json!(null)),
        (json!({"enum": [{"a": 1}, true]}), json!({"a": 2}), "", Choice, json!({"a": 1}), json!({"a": 1})),
        (json!({"const": 1}), json!(2), "", Choice, json!(1), json!(1)),
        (json!({"type": "integer", "const": 1}), json!(2), "", Choice, json!("1"), json!(1)),
        (json!({"type": "string", "const": "a"}), json!("b"), "", Choice, json!("A"), json!("a")),
        (json!({"type": "string", "enum": ["a", null]}), json!(null), "", Type, json!("a"), json!("a")),
        (json!({"type": "array", "const": [1]}), json!([2]), "", Choice, json!([1]), json!([1])),
        (
            json!({"type": "array", "items": {"type": "integer"}, "const": [1]}),
            json!(["x"]),
            "/0",
            Type,
            json!(["1"]),
            json!([1]),
        ),
        (
            json!({"type": "object", "enum": [{"a": 1}]}),
            json!({"a": 2}),
            "",
            Choice,
            json!({"a": 1}),
            json!({"a": 1}),
        ),
        (json!({"type": ["integer", "boolean"]}), json!("x"), "", Type, json!(true), json!(true)),
        (json!({"type": ["integer", "boolean"]}), json!(null), "", Type, json!("5"), json!(5)),
        (json!({"type": ["integer", "null"]}), json!([]), "", Type, json!(null), json!(null)),
        (json!({"anyOf": either("integer", "null")}), json!([]), "", Type, json!(null), json!(null)),
        (json!({"anyOf": either("integer", "boolean")}), json!(null), "", Type, json!("5"), json!(5)),
        (json!({"anyOf": either("string", "array")}), json!(5), "", Ambiguous, json!("5"), json!("5")),
        (json!({"oneOf": either("integer", "number")}), json!(5), "", Ambiguous, json!(5.5), json!(5.5)),
        (json!({"oneOf": either("integer", "string")}), json!([]), "", Type, json!(5), json!(5)),
        (cases.clone(), json!("halt"), "", Choice, json!("stop"), json!("stop")),
        (cases, json!({"move": "x"}), "/move", Type, json!({"move": "1"}), json!({"move": 1})),
        (of_one, json!({"a": "x"}), "/a", Type, json!({"a": "1"}), json!({"a": 1})),
    ] {
        let around = json!({"type": "object", "properties": {"v": schema}, "required": ["v"]});
        let taken_as = object(around.clone(), json!({"v": taken})).map(|object| object["v"].clone());
        assert_eq!(taken_as.as_ref().ok(), Some(&read), "{schema} {taken}: {taken_as:?}");
        let told = [(format!("/v{path}"), code)];
        assert_eq!(issues(object(around, json!({"v": refused}))), told, "{schema} {refused}");
    }
}

#[test]
fn the_members_of_the_whole_input_are_counted() {
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": {"type": "integer"},
        "minProperties": 1, "maxProperties": 2});
    assert_eq!(object(schema.clone(), json!({"a": 1, "b": "2"})).unwrap(), json!({"a": 1, "b": 2}));
    for input in [json!({}), json!({"a": 1, "b": 2, "c": 3})] {
        let error = object(schema.clone(), input).unwrap_err();
        let [issue] = error.arg_issues() else { panic!("{error}") };
        assert_eq!((issue.path.as_str(), issue.code), ("", IssueCode::Length));
        assert_eq!(issue.expected, "object with 1..=2 members");
    }
    let some = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "additionalProperties": false, "minProperties": 1});
    assert_eq!(issues(object(some.clone(), json!({"a": null}))), [(String::new(), IssueCode::Length)]);
    assert_eq!(object(some, json!({"b": 1})).unwrap(), json!({"b": 1}));
}

#[test]
fn keywords_that_are_judged_wait_until_every_argument_fits() {
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer", "multipleOf": 5}, "m": {"type": "integer"}},
        "additionalProperties": false,
    });
    for (input, path, code) in [
        (json!({"n": 7, "m": 1}), "/n", IssueCode::Invalid),
        (json!({"n": 7, "m": "x"}), "/m", IssueCode::Type),
        (json!({"n": 7, "k": 1}), "/k", IssueCode::Unknown),
    ] {
        assert_eq!(issues(object(schema.clone(), input)), [(path.to_owned(), code)]);
    }
    assert_eq!(object(schema, json!({"n": 10, "m": "1"})).unwrap(), json!({"n": 10, "m": 1}));
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
