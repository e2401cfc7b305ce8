//! Hostile files, directories and patterns within 64 MiB: the program runs with no more memory for its data than that.
//! (files.md acceptance 9, 11 and 12)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// KiB of data: heap, stacks and anonymous maps.
const DATA: u32 = 65_536;

/// Exit status, and the result or the error.
fn call(root: &Path, tool: &str, args: &Value) -> (Option<i32>, Value) {
    let script = format!("ulimit -d {DATA} && exec \"$0\" \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_toolbox"), "--root"])
        .arg(root)
        .args(["call", tool, "--input", &args.to_string(), "--json"])
        .env("TOOLBOX_JOURNAL", "off")
        .output()
        .unwrap();
    let told = if output.status.success() { &output.stdout } else { &output.stderr };
    let text = String::from_utf8_lossy(told);
    let value: Value = serde_json::from_str(text.lines().last().unwrap_or_default())
        .unwrap_or_else(|error| panic!("{tool}: {error}: {output:?}"));
    (output.status.code(), if output.status.success() { value } else { value["error"].clone() })
}

fn refused(root: &Path, tool: &str, args: &Value) -> String {
    let (status, error) = call(root, tool, args);
    assert_ne!(status, Some(0), "{tool} {args}");
    error["code"].as_str().unwrap().to_owned()
}

#[test]
fn a_pattern_that_would_grow_without_end_is_refused_and_dashes_are_searched_for() {
    let root = tool_trials::directory();
    fs::write(root.path().join("f"), "say --pre=/bin/sh\nhello-world\n").unwrap();
    assert_eq!(
        refused(root.path(), "search_files", &json!({"pattern": "(\\w{1000}){1000}"})),
        "regex_too_large"
    );
    for (pattern, line) in [("--pre=/bin/sh", 1), ("-world", 2)] {
        let (_, found) = call(root.path(), "search_files", &json!({"pattern": pattern}));
        assert_eq!(
            (&found["matched_lines"], &found["matches"][0]["line"]),
            (&json!(1), &json!(line)),
            "{pattern}"
        );
    }
}

#[test]
fn what_has_no_end_is_refused() {
    let root = tool_trials::directory();
    let path = |name: &str| root.path().join(name);
    let made = |program: &str, args: &[&str]| {
        Command::new(program).args(args).current_dir(&root).status().is_ok_and(|status| status.success())
    };
    assert!(made("mkfifo", &["fifo"]));
    drop(std::os::unix::net::UnixListener::bind(path("socket")).unwrap());
    let mut special = vec!["fifo", "socket"];
    special.extend(made("mknod", &["zero", "c", "1", "5"]).then_some("zero"));
    for name in special {
        for (tool, args) in
            [("read_file", json!({"path": name})), ("search_files", json!({"path": name, "pattern": "x"}))]
        {
            assert_eq!(refused(root.path(), tool, &args), "not_regular_file", "{tool} {name}");
        }
    }
    fs::File::create(path("sparse")).unwrap().set_len(1 << 40).unwrap();
    for (tool, args) in [
        ("read_file", json!({"path": "sparse"})),
        ("search_files", json!({"path": "sparse", "pattern": "x"})),
        ("replace_text", json!({"path": "sparse", "old": "a", "new": "b"})),
    ] {
        assert!(
            ["file_too_large", "content_too_large"].contains(&refused(root.path(), tool, &args).as_str()),
            "{tool}"
        );
    }
    fs::write(path("small"), "x").unwrap();
    assert_eq!(call(root.path(), "read_file", &json!({"path": "small"})).1["content"], "x");
}

#[test]
fn of_a_directory_of_any_size_the_first_entries_are_listed() {
    let root = tool_trials::directory();
    // A million take a minute to make.
    let count = tool_trials::by_effort(1_000_000, 50_000);
    for number in 0..count {
        fs::File::create(root.path().join(format!("{number:07}"))).unwrap();
    }
    let (_, listed) = call(root.path(), "list_dir", &json!({}));
    let names: Vec<&str> =
        listed["entries"].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert_eq!((names.len(), names[0], names[999]), (1_000, "0000000", "0000999"));
    assert_eq!((&listed["truncated"], &listed["truncated_by"]), (&json!(true), &json!("limit")));
}
