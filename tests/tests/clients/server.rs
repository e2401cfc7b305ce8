//! What our server offers, asked without a client in between.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// The descriptions of all tools that a server with these options lists, by name.
pub(crate) fn tools(options: &[&str], at: &Path, home: &Path) -> BTreeMap<String, String> {
    let mut server = Command::new(tests::built::program("toolbox"))
        .args(["mcp", "serve"])
        .args(options)
        .current_dir(at)
        .env("HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let mut stdin = server.stdin.take().unwrap();
    writeln!(stdin, "{initialize}\n{ready}\n{list}").unwrap();
    drop(stdin);
    let output = server.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let answers = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let listed = answers.into_iter().find(|answer| answer["id"] == 2).unwrap();
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(listed["result"]["nextCursor"].is_null() && tools.len() > 5, "{listed}");
    tools.iter().map(|tool| (text_of(&tool["name"]), text_of(&tool["description"]))).collect()
}

pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
