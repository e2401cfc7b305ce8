//! The layers of calls in the real program: long results are parked for MCP clients, limits and rules of calls come from the
//! settings file, and what is run again is held to the policy. (calls.md)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

mod home;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use home::Home;
use serde_json::{Value, json};
use tool_core::journal::{Begin, Begun, Class, Journal as _, Row};
use tool_store::{SqliteJournal, SqliteOptions};

/// An MCP client of the program, one call after the other.
struct Client {
    program: Child,
    stdin: ChildStdin,
    answers: BufReader<ChildStdout>,
    asked: u32,
    /// What the person behind it can be asked.
    capabilities: Value,
}

impl Client {
    fn new(home: &Home, options: &[&str], capabilities: Value) -> Client {
        let mut command = home.command(&[&["mcp", "serve"], options].concat());
        let mut program =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let stdin = program.stdin.take().unwrap();
        let answers = BufReader::new(program.stdout.take().unwrap());
        Client { program, stdin, answers, asked: 0, capabilities }
    }

    fn ask(&mut self, method: &str, mut params: Value) -> Value {
        self.asked += 1;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": self.capabilities,
        });
        let line = json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        writeln!(self.stdin, "{line}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["id"], self.asked, "{answer}");
        answer["result"].clone()
    }

    fn call(&mut self, tool: &str, args: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": args}))
    }

    /// The text of a result that is none of an error.
    fn text(&mut self, tool: &str, args: Value) -> String {
        let result = self.call(tool, args);
        assert_ne!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
    }

    fn tools(&mut self) -> Vec<String> {
        let list = self.ask("tools/list", json!({}));
        let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
        list["tools"].as_array().unwrap().iter().map(name).collect()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

fn settings(home: &Home, text: &str) -> String {
    let file = home.0.path().join("s.toml");
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_long_result_is_parked_for_a_client_and_read_back_whole() {
    let home = Home::new();
    let long: String = (0..4_000).map(|n| format!("line {n} \u{1f600}\n")).collect();
    let mut client = Client::new(&home, &["--confirm", "client"], json!({}));
    assert!(client.tools().contains(&"read_result".to_owned()), "{:?}", client.tools());
    std::fs::write(home.work().join("long"), &long).unwrap();
    let args = json!({"command": "cat long", "shell": false, "timeout": 60});
    let result = client.call("run_command", args);
    if result["isError"] == true {
        return tool_trials::skip(&format!("no sandbox here: {result}"));
    }
    let stub = result["content"][0]["text"].as_str().unwrap().to_owned();
    let head = stub.lines().next().unwrap();
    if !head.starts_with("[result res_") {
        panic!("it is not parked: {head}");
    }
    let id = head.split(' ').nth(1).unwrap().to_owned();
    let count: usize =
        head.split(", ").find_map(|part| part.strip_suffix(" pages")).unwrap().parse().unwrap();
    let mut joined = String::new();
    for page in 1..=count {
        let text = client.text("read_result", json!({"id": id, "page": page}));
        let (told, text) = text.split_once('\n').unwrap();
        assert_eq!(told, format!("[result {id}, page {page} of {count}]"));
        assert!(text.chars().count() <= 8_000, "a page is parked again");
        joined.push_str(text);
    }
    let whole: Value = serde_json::from_str(&joined).unwrap_or_else(|_| Value::from(joined.clone()));
    assert!(
        whole.to_string().contains("line 3999 \u{1f600}") || joined.contains("line 3999 \u{1f600}"),
        "{stub}"
    );
    let found = client.text("read_result", json!({"id": id, "find": "3999"}));
    assert!(found.contains("matching lines") && found.contains("3999"), "{found}");
    let beyond = client.call("read_result", json!({"id": id, "page": count + 1}));
    assert!(beyond["isError"] == true && beyond.to_string().contains(&format!("1..={count}")), "{beyond}");
    let nothing = client.call("read_result", json!({"id": "res_000000000000", "page": 1}));
    assert!(nothing.to_string().contains("not_found"), "{nothing}");
    // The limit is the operator's.
    let file = settings(&home, "[limits]\ninline_limit = 1_000_000\n");
    let mut client = Client::new(&home, &["--confirm", "client", "--config", &file], json!({}));
    let whole = client.text("run_command", json!({"command": "cat long", "shell": false, "timeout": 60}));
    assert!(!whole.starts_with("[result res_"), "{}", &whole[..80]);
    // A person gets everything, and there is nothing to read for one.
    assert!(home.told(&["call", "read_result"]).1.contains("unknown_tool"));
}

#[test]
fn who_may_call_a_tool_may_read_what_it_parked_and_nobody_else_is_offered_the_reader() {
    let home = Home::new();
    let policy = home.work().join("p.toml");
    std::fs::write(&policy, "version = 1\n[agents.mcp]\ntools = [\"list_dir\"]\n").unwrap();
    let mut client = Client::new(&home, &["--policy", policy.to_str().unwrap()], json!({}));
    assert_eq!(client.tools(), ["list_dir", "read_result"]);
    let mut client = Client::new(&home, &["--only", "read_file", "--search"], json!({}));
    assert!(client.tools().contains(&"read_result".to_owned()), "{:?}", client.tools());
    let mut client = Client::new(&home, &["--except", "read_result"], json!({}));
    assert!(!client.tools().contains(&"read_result".to_owned()));
    // Alone it is nothing to serve.
    std::fs::write(&policy, "version = 1\n[agents.mcp]\ntools = []\n").unwrap();
    let served = home.told(&["mcp", "serve", "--policy", policy.to_str().unwrap()]);
    assert!(served.0 == Some(6) && served.1.contains("no_tools"), "{served:?}");
}

#[test]
fn a_call_that_needs_approval_is_suspended_and_goes_on_with_the_answer_in_one_row() {
    let home = Home::new();
    std::fs::write(home.work().join("a"), "text").unwrap();
    let mut client = Client::new(&home, &[], json!({"elicitation": {}}));
    let delete = json!({"name": "delete_file", "arguments": {"path": "a"}});
    let mut asked = || client.ask("tools/call", delete.clone());
    let (one, other) = (asked(), asked());
    assert!(one["inputRequests"]["approval"].is_object(), "{one}");
    assert!(home.work().join("a").exists(), "nothing has run");
    let mut answered = |asked: &Value, action: &str| {
        let mut params = delete.clone();
        params["requestState"] = asked["requestState"].clone();
        params["inputResponses"] = json!({"approval": {"action": action, "content": {}}});
        client.ask("tools/call", params)
    };
    let declined = answered(&one, "decline");
    assert!(declined.to_string().contains("approval_denied") && home.work().join("a").exists(), "{declined}");
    let done = answered(&other, "accept");
    assert!(done["isError"] != true && !home.work().join("a").exists(), "{done}");
    let rows = home.rows();
    assert_eq!(rows.len(), 1, "{rows:?}");
    let audited = home.json(&["audit", "--tool", "delete_file"]);
    let told: Vec<&Value> = audited.as_array().unwrap().iter().map(|row| &row["outcome"]).collect();
    assert_eq!(told, ["ok", "denied"], "one row for each of both, whatever its rounds: {audited}");
    // Nobody behind the client can be asked.
    std::fs::write(home.work().join("a"), "text").unwrap();
    let mut mute = Client::new(&home, &[], json!({}));
    let refused = mute.ask("tools/call", delete);
    assert!(refused.to_string().contains("confirmation_unavailable"), "{refused}");
}

#[test]
fn rules_of_calls_are_set_in_the_settings_file_and_told_with_their_lines() {
    let home = Home::new();
    let text = "[journal]\nmode = \"effects\"\nwait = \"5s\"\nmin_free = 1_000\n\n[audit]\nrequired = true\n\n\
                [limits]\nrepeat_limit = 2\ninline_limit = 20_000\nretries = 0\n";
    let file = settings(&home, text);
    let report = |more: &[&str]| -> Value { home.json(&[&["doctor"], more].concat()) };
    let told = |report: &Value, name: &str| {
        let mut limits = report["limits"].as_array().unwrap().iter();
        let limit = limits.find(|limit| limit["name"] == name).unwrap_or_else(|| panic!("no {name}")).clone();
        (limit["value"].as_u64().unwrap(), limit["from"].as_str().unwrap().to_owned())
    };
    let (plain, set) = (report(&[]), report(&["--config", &file]));
    let rows = [
        ("journal_wait_ms", 30_000, 5_000, 3),
        ("journal_min_free", 67_108_864, 1_000, 4),
        ("repeat_limit", 5, 2, 10),
        ("inline_limit", 10_000, 20_000, 11),
        ("retries", 2, 0, 12),
    ];
    for (name, default, value, line) in rows {
        assert_eq!(told(&plain, name), (default, "default".to_owned()), "{name}");
        assert_eq!(told(&set, name), (value, format!("{file}:{line}")), "{name}");
    }
    let audit = |report: &Value| {
        let checks = report["checks"].as_array().unwrap();
        checks.iter().find(|check| check["name"] == "audit").unwrap().clone()
    };
    assert_eq!(audit(&plain)["source"], "default");
    assert_eq!(audit(&set)["source"], format!("{file}:7"));
    assert_eq!(
        (&plain["calls"]["audit_required"], &set["calls"]["audit_required"]),
        (&json!(false), &json!(true))
    );
}

#[test]
fn every_mistake_in_the_rules_of_calls_is_told_with_its_place() {
    let home = Home::new();
    let text = "[journal]\nmode = \"some\"\nwait = \"2h\"\nmin_fre = 1\nreplay_reads = 1\n[audit]\nrequired = \"yes\"\n\
                [limits]\nrepeat_limt = 1\ninline_limit = 10\n";
    let file = settings(&home, text);
    let (status, told) = home.told(&["file", "exists", "a", "--config", &file]);
    assert_eq!(status, Some(6), "{told}");
    for wanted in [
        "s.toml:2:8: `journal.mode`: expected",
        "s.toml:3:8: `journal.wait`: expected a whole number with ms, s, m or h, of 1h at most, such as 30s, got",
        "s.toml:4:1: unknown key `journal.min_fre`; did you mean `min_free`?",
        "s.toml:5:16: `journal.replay_reads`: expected",
        "s.toml:7:12: `audit.required`: expected",
        "s.toml:9:1: `repeat_limt`: There is no limit called repeat_limt; did you mean `repeat_limit`?",
        "s.toml:10:16: `inline_limit`: inline_limit is 10, outside 9000 to 10000000",
    ] {
        assert!(told.contains(wanted), "{wanted} is not in: {told}");
    }
}

#[test]
fn a_side_effect_in_a_row_is_refused_from_where_the_settings_say() {
    let home = Home::new();
    let lines = "{\"tool\":\"make_dir\",\"args\":{\"path\":\"d\",\"parents\":true}}\n".repeat(4);
    std::fs::write(home.0.path().join("calls"), lines).unwrap();
    let calls = home.0.path().join("calls");
    let made = |settings_text: &str, run: &str| -> Vec<Value> {
        let file = settings(&home, settings_text);
        let args = ["call", "--jsonl", calls.to_str().unwrap(), "--config", &file];
        let output = home.toolbox(&[("TOOLBOX_RUN", run)], &args);
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let codes = |answers: &[Value]| -> Vec<String> {
        answers.iter().map(|answer| answer["error"]["code"].as_str().unwrap_or("ok").to_owned()).collect()
    };
    assert_eq!(codes(&made("", "one")), ["ok"; 4]);
    let limited = codes(&made("[limits]\nrepeat_limit = 2\n", "two"));
    assert_eq!(limited, ["ok", "ok", "repeated_call", "repeated_call"]);
    assert_eq!(codes(&made("[limits]\nrepeat_limit = 0\n", "three")), ["ok"; 4]);
}

#[test]
fn without_its_audit_row_no_side_effect_runs_where_rows_are_required() {
    let home = Home::new();
    std::fs::write(home.work().join("a"), "text").unwrap();
    assert_eq!(home.told(&["file", "exists", "a"]).0, Some(0));
    // The file that rows are written to cannot be one any more.
    let file = home.state().join("audit.jsonl");
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let required = settings(&home, "[audit]\nrequired = true\n");
    let (status, told) = home.told(&["file", "mkdir", "b", "--config", &required]);
    assert!(status == Some(7) && told.contains("audit_unavailable"), "{told}");
    assert!(!home.work().join("b").exists());
    let (status, told) = home.told(&["file", "read", "a", "--config", &required]);
    assert_eq!(status, Some(0), "a read goes on: {told}");
    assert_eq!(home.told(&["file", "mkdir", "b"]).0, Some(0), "who requires no row needs none");
    // Without a place for rows there are none.
    let off = [("TOOLBOX_JOURNAL", "off")];
    let refused = home.toolbox(&off, &["file", "mkdir", "c", "--config", &required]);
    assert_eq!((refused.status.code(), home.work().join("c").exists()), (Some(7), false));
}

/// Leaves a call that makes a directory in doubt: its process is gone, and nobody knows what it did.
async fn left_in_doubt(home: &Home) {
    let journal = SqliteJournal::open(home.state().join("journal.db"), SqliteOptions::default()).unwrap();
    let row = Row {
        run_id: "r".to_owned(),
        attempt: 1,
        tool_name: "make_dir".to_owned(),
        input_json: json!({"path": "made"}).to_string(),
        call_id: "lost".to_owned(),
        agent: Some("operator".to_owned()),
        caller: "cli".to_owned(),
        call_key: "key".to_owned(),
        tool_key: "key".to_owned(),
        args_sha256: "args".to_owned(),
        input_complete: true,
        class: Class::Idempotent,
        side_effect: Some(true),
        idempotent: Some(true),
        takes_key: true,
        ..Row::default()
    };
    let begun = journal.begin(Begin { row, ..Begin::default() }).await.unwrap();
    assert!(matches!(begun, Begun::Run(_)), "{begun:?}");
}

#[tokio::test]
async fn what_is_run_again_is_held_to_the_policy_and_to_consent() {
    let home = Home::new();
    left_in_doubt(&home).await;
    let policy = |rules: &str| {
        let file = home.0.path().join("p.toml");
        std::fs::write(&file, format!("version = 1\n[agents.operator]\n{rules}\n")).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let recover = |rules: &str, more: &[&str]| {
        home.told(&[&["journal", "recover", "--run", "--policy", &policy(rules)], more].concat())
    };
    let made = || home.work().join("made").exists();
    for (rules, why) in [
        ("tools = [\"read_file\"]", "tool_not_enabled"),
        ("tools = [\"*\"]\n[agents.operator.tool_config.make_dir]\ndenied_paths = [\"made\"]", "path_denied"),
        ("tools = [\"*\"]\napprove = \"side_effect\"", "approval_unavailable"),
    ] {
        let (status, told) = recover(rules, &[]);
        assert!(status == Some(4) && told.contains("in_doubt"), "{why}: {told}");
        assert!(!made(), "{why}: {told}");
        let refused = home.json(&["audit", "--tool", "make_dir", "--limit", "1"]);
        assert_eq!(refused[0]["code"], why, "{refused}");
    }
    let (status, told) = recover("tools = [\"*\"]\napprove = \"side_effect\"", &["--yes"]);
    assert_eq!((status, made()), (Some(0), true), "{told}");
    let audited = home.json(&["audit", "--tool", "make_dir", "--limit", "1"]);
    assert_eq!(
        (&audited[0]["outcome"], &audited[0]["approved_by"]),
        (&json!("ok"), &json!("flag")),
        "{audited}"
    );
}
