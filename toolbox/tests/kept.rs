//! What the real program keeps besides its journal: audit rows, approvals, and which agent sees what.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests may fail the test"
)]

mod home;

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use home::Home;
use serde_json::{Value, json};

/// A home with a file in the directory that the tools work in.
fn with_file() -> Home {
    let home = Home::new();
    std::fs::write(home.work().join("a.txt"), "one\n").unwrap();
    home
}

#[test]
fn every_call_is_audited_refused_ones_too_and_the_file_is_its_owners() {
    let home = with_file();
    assert_eq!(home.told(&["file", "read", "a.txt"]).0, Some(0));
    assert_eq!(home.told(&["file", "write", "b.txt", "two"]).0, Some(0));
    assert_eq!(home.told(&["file", "delete", "b.txt"]).0, Some(5), "there is nobody to ask");
    assert_eq!(home.told(&["--yes", "file", "delete", "b.txt"]).0, Some(0));
    let rows = home.json(&["audit"]);
    let told: Vec<[&str; 2]> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| ["tool", "outcome"].map(|member| row[member].as_str().unwrap()))
        .collect();
    let wanted =
        [["delete_file", "ok"], ["delete_file", "denied"], ["write_file", "ok"], ["read_file", "ok"]];
    assert_eq!(told, wanted);
    assert_eq!((&rows[0]["approved_by"], &rows[1]["code"]), (&json!("flag"), &json!("approval_unavailable")));
    assert_eq!(rows[1]["layer"], "approve");
    let owners = std::fs::read_dir(home.state().join("owners")).unwrap().count();
    assert_eq!(owners, 0, "a process that ends takes its name back");
    assert_eq!(
        home.json(&["audit", "--tool", "delete_file", "--outcome", "ok"]).as_array().unwrap().len(),
        1
    );
    assert_eq!(home.json(&["audit", "--agent", "nobody"]), json!([]));
    assert_eq!(home.json(&["audit", "--limit", "2"]).as_array().unwrap().len(), 2);
    assert_eq!(home.json(&["audit", "--since", "1h"]).as_array().unwrap().len(), 4);
    assert_eq!(home.json(&["audit", "--since", "0s"]), json!([]));
    let (status, text) = home.told(&["audit", "--since", "soon"]);
    assert!(status == Some(2) && text.contains("--since") && text.contains("such as 24h"), "{text}");
    let (status, text) = home.told(&["audit", "--outcome", "bogus"]);
    assert!(status == Some(2) && text.contains("in_doubt"), "{text}");
    let stats = home.json(&["audit", "stats", "--tool", "read_file"]);
    assert_eq!((&stats[0]["calls"], &stats[0]["outcome"]), (&json!(1), &json!("ok")));
    // The same rows are in a file, for whoever follows it.
    let file = home.0.path().join("state/toolbox/audit.jsonl");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(file).unwrap();
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!((&first["attempt"], &first["replayed"]), (&json!(1), &json!(false)));
    assert_eq!(text.lines().count(), 4);
    assert!(!text.contains("two"), "what is logged as a digest is not in it");
}

#[test]
fn rows_of_agents_are_kept_and_told_of() {
    let home = with_file();
    let why = |tool: &str| home.told(&["tools", "why", tool, "--agent", "writer"]).0;
    assert_eq!(why("read_file"), Some(5));
    assert_eq!(home.json(&["tools", "enable", "group:file", "--agent", "writer"])["changed"], true);
    assert_eq!(home.json(&["tools", "enable", "!delete_*", "--agent", "writer"])["changed"], true);
    assert_eq!((why("read_file"), why("delete_file"), why("bash")), (Some(0), Some(5), Some(5)));
    assert_eq!(home.json(&["tools", "enable", "group:file", "--agent", "writer"])["changed"], false);
    let (status, text) = home.told(&["tools", "enable", "read_fil", "--agent", "writer"]);
    assert!(status == Some(3) && text.contains("read_file"), "{text}");
    let (status, text) = home.told(&["tools", "disable", "read_fil", "--agent", "writer"]);
    assert!(status == Some(3) && text.contains("did you mean: read_file"), "{text}");
    assert_eq!(home.json(&["tools", "disable", "bash", "--agent", "writer"])["changed"], false);
    for agent in ["", "wri\u{1b}[2Jter", "two\nlines", &"w".repeat(201)] {
        for words in [["tools", "enable", "bash"], ["tools", "disable", "bash"], ["skills", "on", "file"]] {
            let (status, text) = home.told(&[&words[..], &["--agent", agent]].concat());
            assert!(status == Some(2) && text.contains("bad_agent"), "{agent:?}: {text}");
        }
    }
    let (status, text) = home.told(&["tools", "enable", "a b", "--agent", "writer"]);
    assert!(status == Some(2) && text.contains("bad_pattern"), "{text}");
    home.json(&["skills", "on", "file", "--agent", "writer"]);
    let gone = home.json(&["tools", "disable", "group:file", "--agent", "writer"]);
    assert_eq!(gone["changed"], true);
    assert!(
        gone["still_enabled_by"].as_array().unwrap().iter().any(|row| row["source"] == "skill:file"),
        "{gone}"
    );
    assert_eq!(why("read_file"), Some(0), "by the skill");
    home.json(&["skills", "off", "file", "--agent", "writer"]);
    assert_eq!(why("read_file"), Some(5));
    assert_eq!(home.told(&["skills", "off", "file", "--agent", "writer"]).0, Some(3));
    // What is not there yet waits for it.
    let rows = home.json(&["skills", "on", "later", "--agent", "writer", "--allow-missing"]);
    assert_eq!(rows["rows"][0]["pattern"], "group:later", "{rows}");
    assert_eq!(home.told(&["skills", "off", "later", "--agent", "writer"]).0, Some(0));
    let (status, text) = home.told(&["skills", "on", "fil", "--agent", "writer"]);
    assert!(status == Some(3) && text.contains("did you mean: file?"), "{text}");
    assert!(home.json(&["tools", "sync", "--dry-run"]).get("added").is_none(), "all of them are known");
}

#[test]
fn what_is_stored_for_the_agent_of_a_server_holds_for_its_clients() {
    let home = with_file();
    let ask = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }}});
    let listed = || {
        let mut server = home.command(&["mcp", "serve"]);
        let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        writeln!(server.stdin.take().unwrap(), "{ask}").unwrap();
        String::from_utf8(server.wait_with_output().unwrap().stdout).unwrap()
    };
    assert!(listed().contains("\"name\":\"bash\""));
    assert_eq!(home.json(&["tools", "enable", "!bash", "--agent", "mcp"])["changed"], true);
    let without = listed();
    assert!(
        !without.contains("\"name\":\"bash\"") && without.contains("\"name\":\"read_file\""),
        "{without}"
    );
}

#[test]
fn what_is_taken_from_the_person_is_taken_from_calls() {
    let home = with_file();
    assert_eq!(home.told(&["file", "read", "a.txt"]).0, Some(0));
    home.json(&["tools", "enable", "!read_file", "--agent", "operator"]);
    let (status, text) = home.told(&["file", "read", "a.txt"]);
    assert!(status == Some(5) && text.contains("tool_excluded"), "{text}");
    assert_eq!(home.told(&["file", "exists", "a.txt"]).0, Some(0));
    home.json(&["tools", "disable", "!read_file", "--agent", "operator"]);
    assert_eq!(home.told(&["file", "read", "a.txt"]).0, Some(0));
}

#[test]
fn an_approval_that_nobody_knows_is_not_found() {
    let home = with_file();
    assert_eq!(home.json(&["approvals", "list"]), json!([]));
    for command in [["approvals", "list"], ["journal", "list"], ["journal", "export"], ["journal", "recover"]]
    {
        assert_eq!(home.json(&command), json!([]), "{command:?}");
    }
    home.json(&["doctor"]);
    home.json(&["tools", "sync", "--dry-run"]);
    for (command, code) in
        [(["journal", "verify"], "journal_missing"), (["journal", "head"], "journal_missing")]
    {
        let (status, text) = home.told(&command);
        assert!(status == Some(3) && text.contains(code), "{command:?}: {text}");
    }
    assert!(!home.state().exists(), "who only looks makes nothing");
    for command in [
        &["approvals", "allow", "ap_x"][..],
        &["approvals", "deny", "ap_x"],
        &["approvals", "revoke", "ap_x"],
    ] {
        let (status, text) = home.told(command);
        assert!(status == Some(3) && text.contains("unknown_approval"), "{command:?}: {text}");
    }
}
