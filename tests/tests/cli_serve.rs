//! A program with the feature `mcp` is a server too, without a word in its `main`. (cli.md §1, §10)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tests::captured::Captured;
use tests::demo;
use tool_cli::{Cli, ExitCode, Io};
use tool_core::Executor;

/// What a client says from hello to goodbye.
fn session() -> String {
    let client = json!({"name": "tests", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let call = json!({"name": "store_search", "arguments": {"query": "lamp"}});
    [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call}),
    ]
    .map(|line| format!("{line}\n"))
    .concat()
}

#[test]
fn a_program_serves_its_tools_and_says_nothing_else() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_demo"))
        .args(["mcp", "serve", "--only", "store_*"])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(session().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""));
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |id: u32| &answers.iter().find(|answer| answer["id"] == id).unwrap()["result"];
    assert_eq!(answers.len(), 3, "{text}");
    assert_eq!(of(1)["serverInfo"]["name"], "demo");
    let listed: Vec<&str> =
        of(2)["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(listed.contains(&"store_search") && !listed.contains(&"ping"), "{listed:?}");
    assert!(of(3).to_string().contains("blue lamp"), "{}", of(3));
}

/// A run inside another program.
fn run(cli: &Cli, program: Option<&str>, argv: &[&str]) -> (ExitCode, String, String) {
    let (stdout, stderr) = (Captured::default(), Captured::default());
    let home = tool_trials::directory();
    let io = Io {
        stdout: Box::new(stdout.clone()),
        stderr: Box::new(stderr.clone()),
        program: program.map(Into::into),
        env: [("HOME".into(), home.path().into())].into(),
        ..Io::detached(home.path())
    };
    let code = cli.run_from(argv, io);
    (code, stdout.text(), stderr.text())
}

#[test]
fn streams_that_are_not_those_of_a_process_are_not_taken_over() {
    let (cli, _) = demo::demo(&Value::Null).unwrap();
    let (code, stdout, stderr) = run(&cli, None, &["mcp", "serve"]);
    assert_eq!((code, stdout.as_str()), (ExitCode(1), ""), "{stderr}");
    assert!(stderr.starts_with("error[no_streams]: "), "{stderr}");
    let (code, stdout, _) = run(&cli, None, &["mcp", "serve", "--search", "--dry-run"]);
    assert!(code == ExitCode::SUCCESS && stdout.contains("demo mcp serve --search"), "{stdout}");
}

#[test]
fn a_client_is_told_of_the_program_by_its_name_and_file() {
    let (cli, _) = demo::demo(&Value::Null).unwrap();
    let add = ["mcp", "add", "cursor", "--print", "--json"];
    let (code, stdout, stderr) = run(&cli, Some("/opt/demo"), &add);
    assert_eq!(code, ExitCode::SUCCESS, "{stderr}");
    let told: Value = serde_json::from_str(&stdout).unwrap();
    let entry = told["entry"].to_string();
    assert!(entry.contains("/opt/demo") && entry.contains("\"serve\""), "{told}");
    assert_eq!(run(&cli, None, &add).0, ExitCode(1), "nobody knows what to start");
}

#[test]
fn a_program_with_an_executor_of_its_own_says_that_it_cannot_serve() {
    let registry = demo::registry().unwrap();
    let cli = Cli::new(registry.clone()).name("demo").executor(Executor::standard(registry));
    let (code, _, stderr) = run(&cli, Some("/opt/demo"), &["mcp", "serve"]);
    assert_eq!(code, ExitCode(6), "{stderr}");
    assert!(stderr.contains("server_unsupported") && stderr.contains("Cli::layers"), "{stderr}");
}
