//! One bad call gets one answer, whichever surface it came through. (arguments.md, acceptance 2)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::path::Path;

use serde_json::{Value, json};
use tool_cli::test::CliExt as _;
use tool_core::prelude::*;
use tool_core::test::ToolKit;
use tool_core::{Call, Caller, Registry, ToolResult};

/// How a file is read.
#[derive(serde::Deserialize, schemars::JsonSchema, Clone, Copy, Debug)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// As text.
    Text,
    /// As bytes.
    Bytes,
}

/// Reads a file.
#[tool(register = false)]
fn read(
    /// Which one.
    path: &Path,
    /// Most lines.
    limit: Option<u32>,
    /// How.
    mode: Mode,
) -> String {
    format!("{} {limit:?} {mode:?}", path.display())
}

const BAD: &str = r#"{"path": 5.5, "limt": "x", "mode": "TXT"}"#;
const GOOD: &str = r#"{"path": "a.txt", "limit": "3", "mode": "TEXT"}"#;

fn registry() -> Registry {
    Registry::builder().add::<ReadTool>().build().unwrap()
}

fn kit(registry: Registry) -> ToolKit {
    let surfaces = [tool_cli::test::surfaces(), tool_mcp::test::surfaces()].concat();
    ToolKit::of(registry).surfaces(surfaces).build()
}

/// The issues of a refused call, null for one that ran.
fn issues(result: ToolResult) -> Value {
    result.map_or_else(|error| error.to_json()["issues"].clone(), |_| Value::Null)
}

/// What the command line says of its words and standard input: the issues of the one answer.
fn command_line(kit: &ToolKit, words: &[&str], stdin: &str) -> Value {
    let words = words.iter().chain(&["-o", "json", "--envelope"]);
    let run = kit.cli(words).stdin(stdin).run();
    run.document().unwrap_or_else(|| panic!("{run:?}"))["error"]["issues"].take()
}

/// The issues that are found in a text of arguments on each surface that takes texts.
fn in_texts(kit: &ToolKit, text: &str) -> Vec<(&'static str, Value)> {
    let (executor, ctx) = (kit.executor(), kit.context());
    let args: Value = serde_json::from_str(text).unwrap();
    let line = json!({"id": 1, "tool": "read", "args": args}).to_string();
    let batch = kit.cli(["call", "--jsonl", "-"]).stdin(format!("{line}\n")).run();
    vec![
        ("text", issues(executor.call_text_blocking("read", text, ctx, Caller::Llm))),
        ("text as value", issues(executor.call_blocking(Call::new("read", text.into()), ctx, Caller::Mcp))),
        ("--input", command_line(kit, &["read", "--input", text], "")),
        ("--input -", command_line(kit, &["read", "--input", "-"], text)),
        ("batch", batch.document().unwrap()["error"]["issues"].take()),
    ]
}

#[test]
fn every_surface_finds_the_same_issues() {
    let expected = json!([
        {"path": "/path", "code": "type", "expected": "string", "got": "number 5.5", "hint": "send it in quotes"},
        {"path": "/mode", "code": "choice", "expected": "one of \"text\", \"bytes\"", "got": "string \"TXT\"",
            "hint": "did you mean `text`?"},
        {"path": "/limt", "code": "unknown", "expected": "one of the parameters path, limit, mode",
            "got": "string \"x\"", "hint": "did you mean `limit`?"},
    ]);
    let kit = kit(registry());
    for (surface, found) in in_texts(&kit, BAD) {
        assert_eq!(found, expected, "{surface}");
    }
    let refused = kit.everywhere("read", serde_json::from_str(BAD).unwrap()).blocking().assert_same();
    assert_eq!(refused.unwrap_err().to_json()["issues"], expected);
}

#[test]
fn a_call_that_can_be_read_runs_on_every_surface() {
    let kit = kit(registry());
    for (surface, found) in in_texts(&kit, GOOD) {
        assert_eq!(found, Value::Null, "{surface}");
    }
    let read = kit.everywhere("read", serde_json::from_str(GOOD).unwrap()).blocking().assert_same();
    assert_eq!(read.unwrap().data(), "a.txt Some(3) Text");
}

/// A number, or a text.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema, Clone, Debug)]
#[serde(untagged)]
enum Key {
    /// A place.
    Number(i64),
    /// A name.
    Name(String),
}

/// Picks one.
#[tool(register = false)]
fn pick(
    /// Which one.
    key: Key,
    /// How many.
    #[arg(default = 1)]
    count: u32,
) -> Value {
    json!([key, count])
}

#[test]
fn an_object_means_the_same_and_leaves_the_same_notes_on_the_command_line() {
    let kit = kit(Registry::builder().add::<PickTool>().build().unwrap());
    let answer = |words: &[&str], stdin: String| kit.cli(words).stdin(stdin).run().document().unwrap();
    for (text, value, coerced) in [
        (r#"{"key":"5"}"#, json!(["5", 1]), Value::Null),
        (r#"{"key":5,"count":"2"}"#, json!([5, 2]), json!([{"path": "/count", "rule": "string_to_integer"}])),
    ] {
        let direct = kit.executor().call_text_blocking("pick", text, kit.context(), Caller::Test).unwrap();
        assert_eq!(direct.data(), value);
        assert_eq!(direct.meta.get("coerced").cloned().unwrap_or_default(), coerced);
        let line = format!("{{\"tool\":\"pick\",\"args\":{text}}}");
        for found in [
            answer(&["pick", "--envelope", "--input", text], String::new()),
            answer(&["pick", "--envelope", "--input", "-"], text.to_owned()),
            answer(&["call", "--jsonl", "-"], line),
        ] {
            assert_eq!((&found["data"], &found["meta"]["coerced"]), (&value, &coerced), "{found}");
        }
    }
    // Words of a command line are texts, whatever they mean.
    let words = answer(&["pick", "--envelope", "--key", "5", "--count", "2"], String::new());
    assert_eq!((&words["data"], &words["meta"]["coerced"]), (&json!([5, 2]), &Value::Null));
}
