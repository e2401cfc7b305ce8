//! `mcp add` and `mcp remove` of the real program, with a client that keeps its settings to itself played by a script.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

mod home;

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use home::Home;
use serde_json::{Value, json};

/// A script in the place of the client's own command: it writes down what it is asked, and fails where a file says so.
const CLAUDE: &str = r#"#!/bin/sh
for word in "$@"; do printf '%s\n' "$word"; done >> "$HOME/asked"
[ ! -e "$HOME/refuses" ] || { echo 'MCP server toolbox already exists' >&2; exit 1; }
"#;

fn program() -> String {
    PathBuf::from(env!("CARGO_BIN_EXE_toolbox")).canonicalize().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn a_project_gets_this_program_with_its_options_and_loses_it_again() {
    let home = Home::new();
    let file = home.work().join(".mcp.json");
    let add = ["mcp", "add", "claude-code", "--scope", "project", "--format", "json", "--", "--read-only"];
    let printed = home.toolbox(&[], &["mcp", "add", "claude-code", "--scope", "project", "--print"]);
    let text = String::from_utf8(printed.stdout).unwrap();
    assert!(text.starts_with(file.canonicalize().unwrap_or(file.clone()).to_str().unwrap()), "{text}");
    assert!(text.contains("\"mcp\"") && !file.exists(), "nothing is touched: {text}");

    let added = home.toolbox(&[], &add);
    let done: Value = serde_json::from_slice(&added.stdout).unwrap_or_else(|_| panic!("{added:?}"));
    assert_eq!(done["state"], "added", "{done}");
    let settings: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let entry = &settings["mcpServers"]["toolbox"];
    assert_eq!(entry["command"], program().as_str());
    assert_eq!(entry["args"], json!(["mcp", "serve", "--read-only"]));
    let again = home.toolbox(&[], &add);
    assert!(
        again.status.success() && String::from_utf8_lossy(&again.stdout).contains("unchanged"),
        "{again:?}"
    );

    let other = ["mcp", "add", "claude-code", "--scope", "project"];
    let conflict = home.toolbox(&[], &other);
    assert_eq!(conflict.status.code(), Some(4), "{conflict:?}");
    let listens = [&other[..], &["--url", "http://127.0.0.1:8000/mcp", "--force"]].concat();
    assert!(home.toolbox(&[], &listens).status.success());
    let settings: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(
        settings["mcpServers"]["toolbox"],
        json!({"type": "http", "url": "http://127.0.0.1:8000/mcp"})
    );

    let remove = ["mcp", "remove", "claude-code", "--scope", "project"];
    assert!(home.toolbox(&[], &remove).status.success());
    assert!(home.toolbox(&[], &remove).status.success());
    assert!(!file.exists(), "it was not there before");
}

#[test]
fn a_client_that_keeps_its_settings_to_itself_is_asked_by_its_own_command() {
    let home = Home::new();
    let path = home.0.path().join("bin");
    let path_text = path.to_str().unwrap().to_owned();
    let env = [("PATH", path_text.as_str())];
    let absent = home.toolbox(&env, &["mcp", "add", "claude-code"]);
    assert_eq!(absent.status.code(), Some(7), "{absent:?}");
    let said = String::from_utf8_lossy(&absent.stderr).into_owned();
    assert!(said.contains("claude mcp add-json toolbox") && said.contains("--scope user"), "{said}");

    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("claude"), CLAUDE).unwrap();
    std::fs::set_permissions(path.join("claude"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let with_shell = format!("{path_text}:/usr/bin:/bin");
    let env = [("PATH", with_shell.as_str())];
    let added = home.toolbox(&env, &["mcp", "add", "claude-code", "--name", "tools", "--", "--search"]);
    assert!(added.status.success(), "{added:?}");
    let asked = std::fs::read_to_string(home.0.path().join("asked")).unwrap();
    let words: Vec<&str> = asked.lines().collect();
    assert_eq!((&words[..3], &words[4..]), (&["mcp", "add-json", "tools"][..], &["--scope", "user"][..]));
    let entry: Value = serde_json::from_str(words[3]).unwrap();
    assert_eq!((&entry["type"], &entry["args"]), (&json!("stdio"), &json!(["mcp", "serve", "--search"])));

    std::fs::write(home.0.path().join("refuses"), "").unwrap();
    let refused = home.toolbox(&env, &["mcp", "add", "claude-code"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("already exists"), "{refused:?}");
}

#[test]
fn what_would_only_fail_when_the_client_starts_is_told_at_once() {
    let home = tool_trials::directory();
    let add = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_toolbox"))
            .args(["mcp", "add", "codex"])
            .args(words)
            .current_dir(home.path())
            .env_clear()
            .env("HOME", home.path())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    for (words, wanted) in [
        (&["--", "--nonsense"][..], "--nonsense"),
        (&["--", "--http", "0"], "--url"),
        (&["--", "--confirm"], "--confirm"),
        (&["--url", "not a url"], "bad_url"),
        (&["--url", "javascript:x"], "bad_url"),
        // Options of a server that somebody else starts would be lost.
        (&["--url", "http://127.0.0.1:8000/mcp", "--", "--read-only"], "<OPTIONS>"),
    ] {
        let (status, text) = add(words);
        assert_eq!((status, text.contains(wanted)), (Some(2), true), "{words:?}: {text}");
        assert!(!home.path().join(".codex").exists(), "{words:?}");
    }
    let (status, text) = add(&["--print", "--", "--read-only", "--state-secret", "MY_STATE"]);
    assert_eq!(
        (status, text.matches("MY_STATE").count()),
        (Some(0), 2),
        "an argument and a variable: {text}"
    );
    let (status, text) = add(&["--url", "http://127.0.0.1:8000/mcp"]);
    assert_eq!(status, Some(0), "{text}");
}

#[test]
fn every_client_of_the_table_is_known_to_the_command() {
    let home = Home::new();
    for client in &tool_mcp::add::CLIENTS {
        let printed = home.toolbox(&[], &["mcp", "add", client.name, "--print"]);
        assert!(printed.status.success(), "{}: {printed:?}", client.name);
    }
    let goose = home.toolbox(&[], &["mcp", "add", "goose", "--scope", "project"]);
    assert_eq!(goose.status.code(), Some(2), "{goose:?}");
    let name = home.toolbox(&[], &["mcp", "add", "zed", "--name", "Tool-Box"]);
    assert_eq!(name.status.code(), Some(2), "{name:?}");
}

#[test]
fn a_destructive_call_of_two_rounds_is_one_row() {
    let home = Home::new();
    std::fs::write(home.work().join("a.txt"), "a").unwrap();
    let meta = |capabilities: Value| {
        json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": capabilities})
    };
    let mut program = home.command(&["mcp", "serve"]);
    program.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut program = program.spawn().unwrap();
    let mut stdin = program.stdin.take().unwrap();
    let mut answers = std::io::BufRead::lines(std::io::BufReader::new(program.stdout.take().unwrap()));
    let mut ask = |mut params: Value| -> Value {
        params["_meta"] = meta(json!({"elicitation": {}}));
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        std::io::Write::write_all(&mut stdin, format!("{line}\n").as_bytes()).unwrap();
        serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap()
    };
    let mut call = json!({"name": "delete_file", "arguments": {"path": "a.txt"}});
    let first = ask(call.clone());
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    assert!(home.work().join("a.txt").exists());
    call["requestState"] = first["result"]["requestState"].clone();
    call["inputResponses"] = json!({"approval": {"action": "accept", "content": {}}});
    let done = ask(call);
    assert_eq!(done["result"]["resultType"], "complete", "{done}");
    assert!(!home.work().join("a.txt").exists());
    drop(stdin);
    assert!(program.wait().unwrap().success());
    let listed = home.toolbox(&[], &["journal", "list", "--format", "json"]);
    let rows: Value = serde_json::from_slice(&listed.stdout).unwrap_or_else(|_| panic!("{listed:?}"));
    let text = rows.to_string();
    assert_eq!(text.matches("\"delete_file\"").count(), 1, "{text}");
}
