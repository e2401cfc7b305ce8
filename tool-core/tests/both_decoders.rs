//! Leniency ends where something would be lost. Each line is a fault that a decoder could have, with an input that shows
//! it and a twin that is taken; by type and by schema the answers are the same.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{Call, Caller, DynTool, Executor, Registry, ToolDef};

/// One change.
#[derive(Debug, Deserialize, JsonSchema)]
struct Edit {
    /// Line.
    line: u32,
    /// Text.
    text: String,
}

/// Cells that may be empty.
#[derive(Debug, Deserialize, JsonSchema)]
struct Row {
    /// Cells.
    cells: Vec<Option<u8>>,
}

/// A choice.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Slow,
    Quick,
}

/// Takes one of each.
#[tool(register = false)]
#[allow(clippy::too_many_arguments, reason = "each is one kind")]
fn target(
    /// A struct.
    edit: Option<Edit>,
    /// Structs.
    edits: Vec<Edit>,
    /// A text.
    text: Option<&str>,
    /// A number.
    count: Option<u8>,
    /// A flag.
    flag: bool,
    /// Lists.
    rows: Vec<Vec<u8>>,
    /// Texts.
    words: Vec<String>,
    /// Cells.
    row: Option<Row>,
    /// A choice.
    mode: Option<Mode>,
) {
    let _ = (edit.map(|edit| (edit.line, edit.text)), edits.len(), text, count, flag, rows, words);
    let _ = (row.map(|row| row.cells), mode);
}

/// Paths, each with the code of its issue or the rule of its note.
type Told = &'static [(&'static str, &'static str)];

/// The fault, an input that shows it, and what is refused: path and code of each issue.
const REFUSED: [(&str, &str, Told); 16] = [
    ("arrays accepted as structs", r#"{"edit": [1, "a"]}"#, &[("/edit", "type")]),
    ("arrays accepted as structs", r#"{"edits": [[1, "a"]]}"#, &[("/edits/0", "type")]),
    (
        "first issue only",
        r#"{"count": "x", "rows": [["a", 300]], "edit": {"lin": 1}, "wrods": 1}"#,
        &[
            ("/edit/line", "missing"),
            ("/edit/text", "missing"),
            ("/edit/lin", "unknown"),
            ("/count", "type"),
            ("/rows/0/0", "type"),
            ("/rows/0/1", "range"),
            ("/wrods", "unknown"),
        ],
    ),
    ("number_to_string for 1.5", r#"{"text": 1.5}"#, &[("/text", "type")]),
    ("number_to_string for 1.5", r#"{"text": 5.0}"#, &[("/text", "type")]),
    ("number_to_string for 1.5", r#"{"words": [1.5]}"#, &[("/words/0", "type")]),
    ("wrapping inside arrays", r#"{"rows": [5]}"#, &[("/rows/0", "type")]),
    ("wrapping inside arrays", r#"{"rows": 5}"#, &[("/rows", "type")]),
    ("\"\" as none", r#"{"count": ""}"#, &[("/count", "type")]),
    ("\"\" as none", r#"{"edit": " "}"#, &[("/edit", "type")]),
    ("\"\" as none", r#"{"rows": ""}"#, &[("/rows", "type")]),
    ("\"\" as none", r#"{"mode": ""}"#, &[("/mode", "type")]),
    ("splitting on commas", r#"{"rows": ["1,2"]}"#, &[("/rows/0", "type")]),
    ("null as a value", r#"{"words": [null]}"#, &[("/words/0", "type")]),
    ("null as a value", r#"{"edit": {"line": null, "text": "a"}}"#, &[("/edit/line", "type")]),
    ("null as a value", r#"{"row": {"cells": null}}"#, &[("/row/cells", "type")]),
];

/// The fault, an input that shows it, the members of its normal form that matter, and its notes.
const TAKEN: [(&str, &str, &str, Told); 10] = [
    (
        "arrays accepted as structs",
        r#"{"edit": {"line": 1, "text": "a"}}"#,
        r#"{"edit": {"line": 1, "text": "a"}}"#,
        &[],
    ),
    ("number_to_string for 1.5", r#"{"text": 15}"#, r#"{"text": "15"}"#, &[("/text", "number_to_string")]),
    (
        "wrapping inside arrays",
        r#"{"rows": [[5], "[6]"]}"#,
        r#"{"rows": [[5], [6]]}"#,
        &[("/rows/1", "json_string_to_array")],
    ),
    ("\"\" as none", r#"{"text": "", "words": [""]}"#, r#"{"text": "", "words": [""]}"#, &[]),
    ("\"\" as none", r#"{"count": null}"#, "{}", &[("/count", "null_to_absent")]),
    ("\"\" as none", r#"{"mode": "Slow"}"#, r#"{"mode": "slow"}"#, &[("/mode", "choice_case")]),
    ("null as a value", r#"{"row": {"cells": [null]}}"#, r#"{"row": {"cells": [null]}}"#, &[]),
    ("splitting on commas", r#"{"words": "a,b"}"#, r#"{"words": ["a,b"]}"#, &[("/words", "single_to_array")]),
    ("splitting on commas", r#"{"words": ["a,b", "c"]}"#, r#"{"words": ["a,b", "c"]}"#, &[]),
    (
        "dropping a note",
        r#"{"edit": "{\"line\": \"7\", \"text\": true}", "count": 3.0, "flag": "TRUE", "rows": "[[1]]"}"#,
        r#"{"edit": {"line": 7, "text": "true"}, "count": 3, "flag": true, "rows": [[1]]}"#,
        &[
            ("/edit", "json_string_to_object"),
            ("/edit/line", "string_to_integer"),
            ("/edit/text", "boolean_to_string"),
            ("/count", "float_to_integer"),
            ("/flag", "string_to_boolean"),
            ("/rows", "json_string_to_array"),
        ],
    ),
];

/// The tool with its types, and one that has nothing but its schema.
fn executors() -> [(&'static str, Executor); 2] {
    let def: &ToolDef<'_> = TargetTool::DEF;
    let schema = def.input_schema().unwrap().schema().clone();
    let by_schema = DynTool::builder("target")
        .description("Takes one of each.")
        .input_schema(schema)
        .handler_sync(|_, _| Ok(ToolOutput::default()))
        .build()
        .unwrap();
    let executor = |registry| Executor::standard(registry).build().unwrap();
    [
        ("by type", executor(Registry::builder().add::<TargetTool>().build().unwrap())),
        ("by schema", executor(Registry::builder().add_dyn(by_schema).build().unwrap())),
    ]
}

fn call(executor: &Executor, input: &Value) -> ToolResult {
    executor.call_blocking(Call::new("target", input.clone()), &ToolContext::empty(), Caller::Test)
}

#[test]
fn what_would_be_lost_or_guessed_is_refused_by_both() {
    for (decoder, executor) in executors() {
        for (fault, input, expected) in REFUSED {
            let error = call(&executor, &serde_json::from_str(input).unwrap()).unwrap_err();
            let issues: Vec<(&str, &str)> =
                error.arg_issues().iter().map(|issue| (issue.path.as_str(), issue.code.as_str())).collect();
            assert_eq!(issues, expected, "{fault} {decoder}: {input}");
        }
    }
}

#[test]
fn what_is_taken_keeps_its_value_and_leaves_every_note_in_both() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for (decoder, executor) in executors() {
        for (fault, input, expected, notes) in TAKEN {
            let input: Value = serde_json::from_str(input).unwrap();
            let ctx = ToolContext::empty();
            let plan = executor.plan(Call::new("target", input.clone()), &ctx, Caller::Test);
            let normal = runtime.block_on(plan).unwrap().args;
            let expected: Value = serde_json::from_str(expected).unwrap();
            for name in ["edit", "text", "count", "rows", "words", "row", "mode"] {
                let left_out = if ["rows", "words"].contains(&name) { json!([]) } else { Value::Null };
                let wanted = expected.get(name).cloned().unwrap_or(left_out);
                let found = normal.get(name).cloned().unwrap_or_default();
                assert_eq!(found, wanted, "{fault} {decoder}: {name} of {input}");
            }
            let output = call(&executor, &input).unwrap();
            let told = output.meta.get("coerced").cloned().unwrap_or_else(|| json!([]));
            let notes: Value = notes.iter().map(|(path, rule)| json!({"path": path, "rule": rule})).collect();
            assert_eq!(told, notes, "{fault} {decoder}: {input}");
        }
    }
}

#[test]
fn every_fault_is_shown_by_an_input_and_has_a_twin() {
    let named = |fault: &str| {
        let refused = REFUSED.iter().filter(|row| row.0 == fault).count();
        (refused, TAKEN.iter().filter(|row| row.0 == fault).count())
    };
    for fault in [
        "arrays accepted as structs",
        "number_to_string for 1.5",
        "wrapping inside arrays",
        "\"\" as none",
        "splitting on commas",
        "null as a value",
    ] {
        let (refused, taken) = named(fault);
        assert!(refused > 0 && taken > 0, "{fault}");
    }
}
