//! `--input` beside options, and what it may hold.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::collections::BTreeMap;
use std::process::{Command, Output};

use serde_json::{Map, Value, json};
use tests::captured;
use tool_cli::Cli;
use tool_core::Registry;
use tool_core::prelude::*;

fn run(argv: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_demo")).args(argv).env_clear().output().unwrap()
}

/// The arguments that a call would be made with.
fn planned(argv: &[&str]) -> Value {
    let output = run(&[argv, &["--dry-run", "--json"]].concat());
    assert!(output.status.success(), "{argv:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["args"].take()
}

#[test]
fn options_win_over_an_object_and_over_a_text_that_holds_one() {
    let object = r#"{"query":"lamp","limit":3}"#;
    for input in [object.to_owned(), json!(object).to_string()] {
        let args = planned(&["store", "search", "--input", &input, "--limit", "7"]);
        assert_eq!((&args["query"], &args["limit"]), (&json!("lamp"), &json!(7)), "{input}");
    }
    // That the text was opened is told, as on every surface.
    let text = json!(object).to_string();
    let output = run(&["store", "search", "--input", &text, "--limit", "7", "--envelope"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(answer["meta"]["coerced"].to_string().contains("json_string_to_object"), "{answer}");
}

#[test]
fn no_secret_is_taken_from_the_command_line_and_none_is_repeated() {
    let object = r#"{"user":"ann","password":"hunter2"}"#;
    let text = json!(object).to_string();
    for (input, told) in [
        (object, "no secret on the command line"),
        (&text, "no secret on the command line"),
        (r#"{"password":"hunter2""#, "line 1, column 21: (hidden)"),
        (r#"{"password":"hunter2","password":"hunter2"}"#, "the key twice"),
        (r#""hunter2""#, "string (hidden)"),
        ("hunter2", "line 1, column 1: (hidden)"),
    ] {
        for option in ["--quiet", "--json", "-vvv"] {
            let output = run(&["login", "--input", input, option]);
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{stderr}");
            assert!(stderr.contains(told) && !stderr.contains("hunter2"), "{input}: {stderr}");
        }
    }
    let folder = tool_trials::directory();
    let file = folder.path().join("in");
    for input in [object, &text] {
        std::fs::write(&file, input).unwrap();
        let output = run(&["login", "--input", &format!("@{}", file.display())]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn options_for_members_win_over_whatever_else_gives_the_object() {
    let assign = |input: &str, options: &[&str]| {
        planned(&[&["store", "assign", "1", "--input", input][..], options].concat())
    };
    let address = ["--owner.name", "x", "--reviewer.street", "a", "--reviewer.city", "b"];
    for input in [r#"{"reviewer":null}"#, r#"{"reviewer":"null"}"#, r#"{"reviewer":"{\"city\":\"c\"}"}"#] {
        let args = assign(input, &address);
        assert_eq!(args["reviewer"], json!({"street": "a", "city": "b"}), "{input}");
    }
    for input in [r#"{"owner":{"name":"y","age":1}}"#, r#"{"owner":"{\"name\":\"y\",\"age\":1}"}"#] {
        let args = assign(input, &["--owner.age", "3"]);
        assert_eq!([&args["owner"]["name"], &args["owner"]["age"]], [&json!("y"), &json!(3)], "{input}");
    }
    assert_eq!(assign(r#"{"owner":null}"#, &["--owner.name", "x"])["owner"]["name"], "x");
    let whole = planned(&["store", "assign", "1", "--owner.name", "x", "--owner", "null"]);
    assert_eq!(whole["owner"]["name"], "x");
    // That a text was opened is told, as on every surface.
    let text = r#"{"owner":"{\"name\":\"y\"}"}"#;
    let output = run(&["store", "assign", "1", "--input", text, "--owner.age", "3", "--envelope"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(answer["meta"]["coerced"].to_string().contains("json_string_to_object"), "{answer}");
}

#[test]
fn what_is_no_object_is_refused_and_not_dropped_for_its_members() {
    for value in ["5", "true", "[]", r#""""#, r#""text""#, r#""[1]""#] {
        let input = format!("{{\"reviewer\":{value}}}");
        let line = ["store", "assign", "1", "--owner.name", "x", "--reviewer.street", "a", "--input", &input];
        for unknown in [&[][..], &["--reviewer.stret", "b"]] {
            let output = run(&[&line[..], unknown].concat());
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{input}: {stderr}");
            assert!(stderr.contains("\n  --input /reviewer  "), "{input}: {stderr}");
        }
    }
    // An unknown member is told beside null and beside a text that holds the object.
    for input in [r#"{"owner":null}"#, r#"{"owner":"{\"name\":\"y\"}"}"#] {
        let output =
            run(&["store", "assign", "1", "--input", input, "--owner.name", "x", "--owner.agee", "3"]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains("--owner.agee  unknown; did you mean --owner.age?"), "{input}: {stderr}");
    }
}

/// Keeps null apart from nothing.
#[tool(register = false)]
fn keep(
    /// A switch.
    on: Option<Option<bool>>,
    /// A list.
    tags: Option<Option<Vec<String>>>,
    /// A map.
    labels: Option<Option<BTreeMap<String, String>>>,
) -> Value {
    json!([on, tags, labels])
}

#[test]
fn the_negation_of_what_keeps_null_is_null_and_false_and_empty_are_other_values() {
    let cli = Cli::new(Registry::builder().add::<KeepTool>().build().unwrap()).name("demo");
    for (line, args, command) in [
        ("--no-on --no-tags --no-labels", json!({"on": null, "tags": null, "labels": null}), None),
        ("--on=false --no-tags", json!({"on": false, "tags": null}), None),
        ("--on --tags a --labels k=v", json!({"on": true, "tags": ["a"], "labels": {"k": "v"}}), None),
        // The last one counts.
        ("--no-tags --tags a", json!({"tags": ["a"]}), Some("--tags a")),
        (
            "--tags a --no-tags --no-labels --labels k=v",
            json!({"tags": null, "labels": {"k": "v"}}),
            Some("--no-tags --labels k=v"),
        ),
        ("--input {\"tags\":[]}", json!({"tags": []}), Some("--input '{\"tags\":[]}'")),
    ] {
        let words: Vec<&str> = ["keep", "--dry-run", "--json"].into_iter().chain(line.split(' ')).collect();
        let (code, stdout, stderr) = captured::run(&cli, std::path::Path::new("/"), &words);
        assert_eq!(code, 0, "{line}: {stderr}");
        let plan: Value = serde_json::from_str(&stdout).unwrap();
        let given: Map<String, Value> =
            args.as_object().unwrap().keys().map(|key| (key.clone(), plan["args"][key].clone())).collect();
        assert_eq!(Value::Object(given), args, "{line}: {plan}");
        assert_eq!(plan["command"], format!("demo keep {}", command.unwrap_or(line)), "{plan}");
    }
    let (_, page, _) = captured::run(&cli, std::path::Path::new("/"), &["keep", "-h"]);
    for row in ["--on ", "--no-on ", "--no-tags ", "--no-labels "] {
        assert!(page.contains(row), "{row} in {page}");
    }
    assert!(page.contains("No value: null") && !page.contains("empty list"), "{page}");
}
