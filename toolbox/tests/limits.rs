//! `[limits]` of the settings file: what an operator sets holds for the tools, and `doctor` says who set it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail the test")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

/// Runs in a directory, with settings of its own.
fn run(root: &Path, settings: &str, argv: &[&str]) -> Output {
    let file = root.join("settings.toml");
    std::fs::write(&file, settings).unwrap();
    let mut toolbox = Command::new(env!("CARGO_BIN_EXE_toolbox"));
    toolbox.arg("--config").arg(file).args(argv).current_dir(root).env_clear();
    toolbox.output().unwrap()
}

#[test]
fn a_limit_that_is_set_holds_and_is_told_with_its_line() {
    let root = tool_trials::directory();
    std::fs::write(root.path().join("a.txt"), "one\ntwo\nthree\n").unwrap();
    let read = |settings: &str| {
        let output = run(root.path(), settings, &["file", "read", "a.txt", "--json"]);
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    assert_eq!(read("")["truncated"], json!(false));
    assert_eq!(read("[limits]\nmax_read_bytes = 8\n")["truncated"], json!(true));

    let output = run(root.path(), "\n[limits]\nmax_read_bytes = 8\n", &["doctor", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let limits = report["limits"].as_array().unwrap();
    let of = |name: &str| limits.iter().find(|limit| limit["name"] == name).unwrap();
    assert_eq!(of("max_read_bytes")["value"], 8);
    let from = format!("{}:3", root.path().join("settings.toml").display());
    assert_eq!(of("max_read_bytes")["from"], from);
    assert_eq!(of("max_hunks")["from"], "default");
}

#[test]
fn a_limit_that_is_none_or_out_of_range_ends_the_program_with_its_place() {
    let root = tool_trials::directory();
    let settings = "[limits]\nmax_red_bytes = 8\nmax_stream_bytes = 99_999_999\nmax_hunks = \"many\"\n";
    let output = run(root.path(), settings, &["file", "exists", "a.txt"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(6), &b""[..]), "{stderr}");
    for told in [
        "settings.toml:2:1: `max_red_bytes`: There is no limit called max_red_bytes; did you mean `max_read_bytes`?",
        "settings.toml:3:20: `max_stream_bytes`: max_stream_bytes exceeds 10485760",
        "settings.toml:4:13: `max_hunks`: expected a whole number, got string",
    ] {
        assert!(stderr.contains(told), "{told} is not in: {stderr}");
    }
    let sound = run(root.path(), "[limits]\nmax_hunks = 7\n", &["file", "exists", "a.txt"]);
    assert!(sound.status.success(), "{}", String::from_utf8_lossy(&sound.stderr));
}

#[test]
fn a_rule_that_is_none_ends_every_command_that_runs_tools_with_its_place() {
    let root = tool_trials::directory();
    let settings = "[sandbox]\nfoo = 1\nnetwork = \"on\"\nread = [\"/a\", 2]\n[workspace]\nmax_age = \"30\"\n\
                    max_bytes = -1\n[workspace.protect]\nsecrets = []\n";
    for argv in [&["tools", "list"][..], &["file", "exists", "a.txt"]] {
        let output = run(root.path(), settings, argv);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(6), &b""[..]), "{stderr}");
        for told in [
            "settings.toml:2:1: unknown key `sandbox.foo`",
            "settings.toml:3:11: `sandbox.network`: expected one of \"deny\", \"loopback\", \"allow\", got string \"on\"",
            "settings.toml:4:15: `sandbox.read.1`: expected string matching ^/, got integer",
            "settings.toml:6:11: `workspace.max_age`: expected ",
            "settings.toml:7:13: `workspace.max_bytes`: expected ",
            "settings.toml:9:1: unknown key `workspace.protect.secrets`; did you mean `secret`?",
        ] {
            assert!(stderr.contains(told), "{told} is not in: {stderr}");
        }
    }
    let sound = "[sandbox]\nnetwork = \"loopback\"\nread = [\"/a\"]\n[sandbox.env]\nA = \"b\"\n\
                 [workspace]\nmax_age = \"30d\"\nmax_bytes = 1_000\n[workspace.protect]\nsecret = [\"x\"]\n";
    for argv in [&["tools", "list"][..], &["file", "exists", "a.txt"]] {
        let output = run(root.path(), sound, argv);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The limit of the whole call leaves its command a share of it, and what is told is what the command had.
#[test]
fn a_short_limit_of_a_call_leaves_its_command_time() {
    let root = tool_trials::directory();
    let call = |words: &[&str]| {
        let output =
            run(root.path(), "journal = \"off\"\n", &[&["--yes", "--timeout", "900ms"], words].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, told) = call(&["shell", "bash", "sleep", "--", "60"]);
    assert_eq!(status, Some(124), "{told}");
    let had = told.split("Command timed out after ").nth(1).and_then(|rest| rest.split("ms").next());
    let had: u64 = had.unwrap_or_else(|| panic!("{told}")).parse().unwrap();
    assert!((1..=450).contains(&had), "{told}");
}
