//! `--input` beside options, and what it may hold.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::process::{Command, Output};

use serde_json::{Value, json};

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
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("in");
    for input in [object, &text] {
        std::fs::write(&file, input).unwrap();
        let output = run(&["login", "--input", &format!("@{}", file.display())]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
