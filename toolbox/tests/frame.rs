//! What is no object of arguments is refused whole, by one code for each reason, before anything runs.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tool_core::args::{MAX_ARGS_BYTES, MAX_DEPTH};

/// A directory with two files that a tool can read.
fn directory() -> tool_trials::Directory {
    let directory = tool_trials::directory();
    fs::write(directory.path().join("a.txt"), "one\n").unwrap();
    fs::write(directory.path().join("b.txt"), "two\n").unwrap();
    directory
}

fn run(root: &Path, words: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolbox"))
        .args(words)
        .current_dir(root)
        .env("TOOLBOX_JOURNAL", "off")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // The program may end without reading.
    let writer = std::thread::spawn(move || drop(to.write_all(&stdin)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// The error of a run for programs, which printed nothing else.
fn error(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr);
    serde_json::from_str::<Value>(text.lines().last().unwrap()).unwrap()["error"].take()
}

/// Code of the error, path and code of each issue.
fn told(error: &Value) -> (String, Vec<(String, String)>) {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let issues = error["issues"].as_array().unwrap();
    (text(&error["code"]), issues.iter().map(|issue| (text(&issue["path"]), text(&issue["code"]))).collect())
}

fn said(code: &str, path: &str, issue: &str) -> (String, Vec<(String, String)>) {
    (code.to_owned(), vec![(path.to_owned(), issue.to_owned())])
}

#[test]
fn a_key_given_twice_is_refused_at_its_place_and_nothing_runs() {
    let root = directory();
    let twice = r#"{"path":"a.txt","path":"b.txt"}"#;
    let error = error(&run(root.path(), &["file", "read", "--json", "--input", twice], b""));
    assert_eq!(told(&error), said("duplicate_key", "/path", "duplicate"));
    assert_eq!(error["message"], "A key is given twice.");
    assert_eq!(error["details"]["flags"], json!(["--input"]));

    let write = |input: &str| run(root.path(), &["file", "write", "--json", "--input", input], b"");
    let refused = write(r#"{"path":"c.txt","content":"x","content":"y"}"#);
    assert_eq!(refused.status.code(), Some(2));
    assert!(!root.path().join("c.txt").exists());
    assert!(write(r#"{"path":"c.txt","content":"x"}"#).status.success());
    assert_eq!(fs::read_to_string(root.path().join("c.txt")).unwrap(), "x");
}

#[test]
fn people_are_told_the_same_code() {
    let root = directory();
    let twice = r#"{"path":"a.txt","path":"b.txt"}"#;
    let output = run(root.path(), &["file", "read", "--input", twice], b"");
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with("error[duplicate_key]: A key is given twice.\n"), "{text}");
    assert!(text.contains("--input /path  expected one value, got the key twice"), "{text}");
}

#[test]
fn every_reason_has_its_code_wherever_the_text_comes_from() {
    let root = directory();
    let deep = format!("{}{}", "[".repeat(MAX_DEPTH + 1), "]".repeat(MAX_DEPTH + 1));
    let cases = [
        (r#"{"path":"a.txt","path":"b.txt"}"#, said("duplicate_key", "/path", "duplicate")),
        (r#"{"path":"a.txt","x":[{"y":1,"y":2}]}"#, said("duplicate_key", "/x/0/y", "duplicate")),
        (r#"{"path":"a.txt","#, said("malformed_json", "", "syntax")),
        ("[1]", said("not_an_object", "", "type")),
        (r#""[1]""#, said("not_an_object", "", "type")),
        (deep.as_str(), said("too_deep", "", "depth")),
    ];
    for (text, expected) in cases {
        fs::write(root.path().join("input.json"), text).unwrap();
        for input in [text, "@input.json", "-"] {
            let output = run(root.path(), &["file", "read", "--json", "--input", input], text.as_bytes());
            assert_eq!(told(&error(&output)), expected, "{input}");
        }
    }
    let fits = r#"{"path":"a.txt"}"#;
    fs::write(root.path().join("input.json"), fits).unwrap();
    for input in [fits, "@input.json", "-", r#""{\"path\":\"a.txt\"}""#] {
        let output = run(root.path(), &["file", "read", "--input", input], fits.as_bytes());
        assert!(String::from_utf8_lossy(&output.stdout).contains("one"), "{input}: {output:?}");
    }
}

#[test]
fn a_hundred_thousand_brackets_are_too_deep() {
    let root = directory();
    let output = run(root.path(), &["file", "read", "--json", "--input", "-"], &vec![b'['; 100_000]);
    assert_eq!(told(&error(&output)), said("too_deep", "", "depth"));
}

#[test]
fn a_text_is_refused_from_the_first_byte_above_the_limit_on() {
    let root = directory();
    let padded = |bytes: usize| {
        let mut text = br#"{"path":"a.txt"}"#.to_vec();
        text.resize(bytes, b' ');
        text
    };
    let fits = run(root.path(), &["file", "read", "--input", "-"], &padded(MAX_ARGS_BYTES));
    assert!(fits.status.success(), "{fits:?}");
    for bytes in [MAX_ARGS_BYTES + 1, MAX_ARGS_BYTES + 100_000] {
        fs::write(root.path().join("input.json"), padded(bytes)).unwrap();
        for input in ["-", "@input.json"] {
            let output = run(root.path(), &["file", "read", "--json", "--input", input], &padded(bytes));
            assert_eq!(told(&error(&output)), said("args_too_large", "", "size"), "{input}");
        }
    }
}

#[test]
fn a_line_of_a_batch_is_refused_by_the_same_codes() {
    let root = directory();
    // The object is the first level, and what is in it stands below.
    let nested = |levels: usize| {
        let lists = levels - 1;
        format!(
            "{{\"tool\":\"read_file\",\"args\":{{\"path\":{}1{}}}}}",
            "[".repeat(lists),
            "]".repeat(lists)
        )
    };
    let (deep, deepest) = (nested(MAX_DEPTH + 1), nested(MAX_DEPTH));
    let lines = [
        r#"{"tool":"read_file","args":{"path":"a.txt","path":"b.txt"}}"#,
        r#"{"id":1,"id":2,"tool":"read_file"}"#,
        r#"{"tool":"read_file","args":"#,
        "[1]",
        deep.as_str(),
        deepest.as_str(),
        r#"{"tool":"read_file","args":{"path":"a.txt"}}"#,
    ];
    let output = run(root.path(), &["call", "--jsonl", "-"], lines.join("\n").as_bytes());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let answers: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let refused: Vec<_> = answers.iter().take(6).map(|answer| told(&answer["error"])).collect();
    let expected = [
        said("duplicate_key", "/path", "duplicate"),
        said("duplicate_key", "", "duplicate"),
        said("malformed_json", "", "syntax"),
        said("not_an_object", "", "type"),
        said("too_deep", "", "depth"),
        said("invalid_args", "/path", "type"),
    ];
    assert_eq!(refused, expected);
    assert_eq!(answers.last().unwrap()["ok"], true);
}

#[test]
fn json_for_one_parameter_is_an_issue_beside_the_others() {
    let root = directory();
    let words = ["file", "edit-lines", "a.txt", "--json", "--patches", r#"[{"x":1,"x":2}]"#, "--lmit", "1"];
    let error = error(&run(root.path(), &words, b""));
    let (code, issues) = told(&error);
    assert_eq!(code, "invalid_args");
    assert_eq!(issues.first().unwrap(), &("/patches/0/x".to_owned(), "duplicate".to_owned()));
    assert!(issues.iter().any(|issue| issue.0 == "/lmit"), "{issues:?}");
}

#[test]
fn a_working_directory_that_was_deleted_is_no_workspace_and_no_other_one_is() {
    let root = directory();
    let in_deleted = |words: &[&str]| {
        let gone = root.path().join("gone");
        fs::create_dir(&gone).unwrap();
        Command::new("sh")
            .args(["-c", r#"cd "$1" && rmdir "$1" && shift && exec "$@""#, "sh"])
            .arg(&gone)
            .arg(env!("CARGO_BIN_EXE_toolbox"))
            .args(words)
            .output()
            .unwrap()
    };
    let refused = in_deleted(&["file", "list-dir", "--json"]);
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.stdout.is_empty() && told.contains("root_not_found"), "{told}");
    assert!(told.contains("The working directory was deleted."), "{told}");
    let named = in_deleted(&["file", "list-dir", "--json", "--root", root.path().to_str().unwrap()]);
    assert!(named.status.success(), "{named:?}");
}
