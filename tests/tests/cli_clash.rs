//! A program whose commands clash tells all of it and runs nothing. (cli.md §2, acceptance 15)

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

#[path = "../src/clashing.rs"]
mod clashing;

use std::process::Command;
use std::sync::atomic::Ordering;

use clashing::RAN;
use tests::captured::Captured;
use tool_cli::{Cli, ExitCode, Io};
use tool_core::{Registry, ToolDef};

/// What is told of the program, each clash with both origins.
const CLASHES: [&str; 4] = [
    "cli_clash: `--format` of `draw` meets global option: shop 1.0.0 src/tools.rs:5",
    "cli_clash: `-o` of `draw` meets global option: shop 1.0.0 src/tools.rs:5",
    "cli_clash: `file read` of `read_file` meets file_read: shop 1.0.0 src/tools.rs:2 and shop 1.0.0 src/tools.rs:1",
    "cli_clash: `mail send` of `send_mail` meets mail_send: shop 1.0.0 src/tools.rs:4 and shop 1.0.0 src/tools.rs:3",
];

fn run(tools: &[&'static ToolDef<'static>], argv: &[&str]) -> (ExitCode, String) {
    let registry =
        tools.iter().fold(Registry::builder(), |builder, def| builder.add_def(def)).build().unwrap();
    let stderr = Captured::default();
    let io = Io { stderr: Box::new(stderr.clone()), ..Io::detached("/") };
    let code = Cli::new(registry).name("demo").run_from(argv, io);
    let text = stderr.text();
    (code, text)
}

/// The lines about clashes, in one order.
fn lines(stderr: &str) -> Vec<&str> {
    let mut lines: Vec<&str> =
        stderr.lines().map(|line| line.trim_start_matches("error[cli_clash]: ")).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn every_clash_is_a_line_with_its_origins_and_nothing_runs() {
    for argv in [&["file", "list"][..], &["mail", "send"], &["--help"]] {
        let (code, stderr) = run(&clashing::all(), argv);
        assert_eq!((code, RAN.load(Ordering::Relaxed)), (ExitCode(1), false), "{argv:?}");
        assert_eq!(lines(&stderr), CLASHES);
    }
    let (code, stderr) = run(&[clashing::fine()], &["file", "list"]);
    assert_eq!((code, stderr.as_str(), RAN.load(Ordering::Relaxed)), (ExitCode::SUCCESS, "", true));
}

#[test]
fn programs_are_told_in_their_form() {
    for argv in [&["file", "list", "--json"][..], &["-o", "yaml", "file", "list"]] {
        let (code, stderr) = run(&clashing::all(), argv);
        assert_eq!((code, stderr.lines().count()), (ExitCode(1), 1), "{stderr}");
        let error: serde_json::Value = serde_json::from_str(&stderr).unwrap();
        assert_eq!(error["error"]["code"], "cli_clash", "{error}");
    }
}

#[test]
fn a_process_ends_the_same_way() {
    let output = Command::new(env!("CARGO_BIN_EXE_clash")).args(["file", "list"]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &b""[..]), "{stderr}");
    assert_eq!(lines(&stderr), CLASHES);
}
