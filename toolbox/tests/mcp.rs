//! The real program as an MCP server: on standard input and output, and over HTTP.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// The program; it is killed when the test ends before it.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(root: &std::path::Path, options: &[&str]) -> Program {
    serve_in(root, options, ("TOOLBOX_JOURNAL", "off"))
}

/// The same with a variable of the environment.
fn serve_in(root: &std::path::Path, options: &[&str], variable: (&str, &str)) -> Program {
    let child = Command::new(env!("CARGO_BIN_EXE_toolbox"))
        .args(["mcp", "serve", "--root"])
        .arg(root)
        .args(options)
        .env(variable.0, variable.1)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    Program(child)
}

fn modern(id: u32, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn legacy(id: u32, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn initialize() -> String {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"}});
    legacy(0, "initialize", &params)
}

/// What the program writes for these lines, and its exit code.
fn talk(root: &std::path::Path, options: &[&str], lines: &[String]) -> (Vec<Value>, Option<i32>) {
    let mut program = serve(root, options);
    let mut stdin = program.0.stdin.take().unwrap();
    for line in lines {
        writeln!(stdin, "{line}").unwrap();
    }
    drop(stdin);
    let mut written = String::new();
    program.0.stdout.take().unwrap().read_to_string(&mut written).unwrap();
    let code = program.0.wait().unwrap().code();
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    (written.lines().map(read).collect(), code)
}

fn of(answers: &[Value], id: u32) -> &Value {
    answers.iter().find(|answer| answer["id"] == id).unwrap_or_else(|| panic!("no answer {id}: {answers:?}"))
}

#[test]
fn the_program_serves_both_eras_and_writes_nothing_but_messages() {
    let root = tool_trials::directory();
    std::fs::write(root.path().join("a.txt"), "hello\n").unwrap();
    let read = json!({"name": "read_file", "arguments": {"path": "a.txt"}});
    let bad = json!({"name": "read_file", "arguments": {"limit": "many"}});
    let says = json!({"name": "bash", "arguments": {"cmd": "echo", "args": ["noise"]}});
    for modern_era in [false, true] {
        let line = |id, method: &str, params: &Value| match modern_era {
            true => modern(id, method, params.clone()),
            false => legacy(id, method, params),
        };
        let mut lines = if modern_era { Vec::new() } else { vec![initialize()] };
        lines.push(line(1, "tools/list", &json!({})));
        lines.push(line(2, "tools/call", &read));
        lines.push(line(3, "tools/call", &bad));
        lines.push(line(4, "tools/call", &says));
        let (answers, code) = talk(root.path(), &[], &lines);
        assert_eq!((answers.len(), code), (lines.len(), Some(0)), "{answers:?}");
        let tools = of(&answers, 1)["result"]["tools"].as_array().unwrap();
        assert!(tools.iter().any(|tool| tool["name"] == "read_file"), "{tools:?}");
        assert!(of(&answers, 2)["result"].to_string().contains("hello"), "{}", of(&answers, 2));
        let refused = &of(&answers, 3)["result"];
        assert_eq!(refused["isError"], true);
        let text = refused["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("\"/path\"") && text.contains("\"/limit\""), "{text}");
    }
}

#[test]
fn filters_are_kept_and_what_matches_nothing_ends_the_program() {
    let root = tool_trials::directory();
    let list = [initialize(), legacy(1, "tools/list", &json!({}))];
    let (answers, _) = talk(root.path(), &["--read-only", "--only", "read_*, write_*"], &list);
    let tools = of(&answers, 1)["result"]["tools"].as_array().unwrap();
    let read_only = |tool: &Value| tool["annotations"]["readOnlyHint"] == true;
    assert!(!tools.is_empty() && tools.iter().all(read_only), "{tools:?}");
    assert_eq!(talk(root.path(), &["--only", "nope*"], &[]), (Vec::new(), Some(2)));
    // A variable that is not set must not serve everything.
    for nothing in ["", ",", " , "] {
        assert_eq!(talk(root.path(), &["--only", nothing], &[]), (Vec::new(), Some(2)), "{nothing:?}");
        assert_eq!(talk(root.path(), &["--except", nothing], &[]), (Vec::new(), Some(2)), "{nothing:?}");
    }
    assert_eq!(talk(root.path(), &["--except", "*"], &[]), (Vec::new(), Some(6)));
    assert_eq!(talk(root.path(), &["--http", "0.0.0.0:0"], &[]), (Vec::new(), Some(6)));
}

#[test]
fn what_is_not_served_is_not_taught() {
    let root = tool_trials::directory();
    let lines = [initialize(), legacy(1, "resources/list", &json!({}))];
    let taught = |options: &[&str]| {
        let (answers, _) = talk(root.path(), options, &lines);
        of(&answers, 1)["result"]["resources"].to_string()
    };
    let all = taught(&["--skills"]);
    assert!(all.contains("/toolbox-shell/SKILL.md") && all.contains("/toolbox-file/SKILL.md"), "{all}");
    for options in [&["--skills", "--only", "read_file"][..], &["--skills", "--except", "group:shell"]] {
        let some = taught(options);
        assert!(!some.contains("shell") && some.contains("/toolbox-file/SKILL.md"), "{options:?}: {some}");
    }
    let read = legacy(1, "resources/read", &json!({"uri": "skill://toolbox/toolbox-file/SKILL.md"}));
    let (answers, _) = talk(root.path(), &["--skills", "--only", "read_file"], &[initialize(), read]);
    let text = of(&answers, 1)["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("file read") && !text.contains("file write"), "{text}");
}

#[test]
fn a_result_of_the_earlier_revision_is_as_its_schema_says() {
    let root = tool_trials::directory();
    let call = json!({"name": "bash", "arguments": {"cmd": "true"}});
    let lines = [initialize(), legacy(1, "tools/list", &json!({})), legacy(2, "tools/call", &call)];
    let (answers, _) = talk(root.path(), &["--confirm", "client"], &lines);
    let tools = of(&answers, 1)["result"]["tools"].as_array().unwrap();
    let schema = &tools.iter().find(|tool| tool["name"] == "bash").unwrap()["outputSchema"];
    let value = &of(&answers, 2)["result"]["structuredContent"];
    assert_eq!((&schema["type"], &value["exit_code"]), (&json!("object"), &json!(0)), "{schema} {value}");
    let branches = schema["anyOf"].as_array().unwrap();
    let required = |branch: &Value| branch["required"].as_array().cloned().unwrap_or_default();
    let fits = |branch: &Value| required(branch).iter().all(|key| value.get(key.as_str().unwrap()).is_some());
    assert!(branches.iter().any(fits), "{schema} {value}");
}

#[test]
fn the_program_listens_and_refuses_a_strange_host() {
    let root = tool_trials::directory();
    let mut program = serve(root.path(), &["--http", "0"]);
    let mut line = String::new();
    BufReader::new(program.0.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line}"));
    let address = url.strip_suffix("/mcp").unwrap();
    for (host, code) in [(address, "200"), ("evil.example", "403")] {
        let body = modern(1, "tools/list", json!({}));
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: tools/list\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(answer.split(' ').nth(1), Some(code), "{host}: {answer}");
    }
}

/// A client that reads an answer before it asks on.
struct Client {
    program: Program,
    answers: BufReader<std::process::ChildStdout>,
    asked: u32,
}

impl Client {
    fn call(&mut self, tool: &str, args: Value) -> Value {
        self.asked += 1;
        let line = modern(self.asked, "tools/call", json!({"name": tool, "arguments": args}));
        writeln!(self.program.0.stdin.as_mut().unwrap(), "{line}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["id"], self.asked, "{answer}");
        answer["result"].clone()
    }

    fn value(&mut self, tool: &str, args: Value) -> Value {
        let result = self.call(tool, args);
        assert_ne!(result["isError"], true, "{result}");
        result["structuredContent"].clone()
    }
}

#[test]
fn a_command_goes_on_in_the_background_of_a_program_that_lives_on() {
    let root = tool_trials::directory();
    let mut program = serve(root.path(), &["--confirm", "client"]);
    let answers = BufReader::new(program.0.stdout.take().unwrap());
    let mut client = Client { program, answers, asked: 0 };
    let started =
        client.value("run_command", json!({"command": "cat /dev/zero", "background": true, "timeout": 60}));
    assert_eq!((&started["process_id"], &started["argv"]), (&json!("p1"), &json!(["cat", "/dev/zero"])));
    let args = json!({"cmd": "sh", "args": ["-c", "echo one; echo two"], "background": true});
    assert_eq!(client.value("bash", args)["process_id"], "p2");
    let (mut text, mut offset) = (String::new(), json!(0));
    loop {
        let page =
            client.value("process_output", json!({"process_id": "p2", "stdout_offset": offset, "wait": 5}));
        text.push_str(page["stdout"]["text"].as_str().unwrap());
        offset = page["stdout"]["next_offset"].clone();
        if page["state"] != "running" && page["stdout"]["text"] == "" {
            break;
        }
    }
    assert_eq!(text, "one\ntwo\n");
    let stopped = client.value("process_stop", json!({"process_id": "p1", "signal": "kill"}));
    assert_eq!((&stopped["state"], &stopped["already_ended"]), (&json!("stopped"), &json!(false)));
    assert_eq!(client.value("process_list", json!({}))["processes"].as_array().unwrap().len(), 2);
    assert_eq!(client.call("process_stop", json!({"process_id": "p3"}))["isError"], true);
}

#[test]
fn the_end_of_a_command_in_the_background_is_an_audit_row_without_what_it_wrote() {
    let (root, state) = (tool_trials::directory(), tool_trials::directory());
    let state_home = ("XDG_STATE_HOME", state.path().to_str().unwrap());
    let mut program = serve_in(root.path(), &["--confirm", "client"], state_home);
    let answers = BufReader::new(program.0.stdout.take().unwrap());
    let mut client = Client { program, answers, asked: 0 };
    let args = json!({"cmd": "sh", "args": ["-c", "printf 'canary-3a'; exit 3"], "background": true});
    client.value("bash", args);
    client.value("bash", json!({"cmd": "sleep", "args": ["60"], "background": true}));
    for id in ["p1", "p2"] {
        while client.value("process_output", json!({"process_id": id, "wait": 5}))["state"] == "running" {
            if id == "p2" {
                client.value("process_stop", json!({"process_id": id}));
            }
        }
    }
    let file = state.path().join("toolbox/audit.jsonl");
    let ends = || -> Vec<Value> {
        let text = std::fs::read_to_string(&file).unwrap();
        let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        rows.filter(|row| row["args"]["process_id"].is_string() && row["tool"] == "bash").collect()
    };
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while ends().len() < 2 {
        assert!(std::time::Instant::now() < deadline, "{:?}", ends());
    }
    let rows = ends();
    let [first, second] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!((&first["outcome"], &first["code"]), (&json!("failed"), &json!("command_failed")));
    assert_eq!((&second["outcome"], &second["code"]), (&json!("cancelled"), &json!("cancelled")));
    let told: Value = serde_json::from_str(first["output"]["preview"].as_str().unwrap()).unwrap();
    // The digest of what it wrote.
    let sha256 = "34f56aaf9fb78c177ae506800ccce6e5c6218515532897163ed60b788c5c3998";
    assert_eq!((&told["exit_code"], &told["stdout"]["bytes"]), (&json!(3), &json!(9)));
    assert_eq!(told["stdout"]["sha256"], sha256);
    assert!(rows.iter().all(|row| !row.to_string().contains("canary-3a")), "{rows:?}");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.lines().any(|line| line.contains(&format!("\"call_id\":{}", first["parent_call_id"]))));
}

#[test]
fn a_command_in_the_background_that_ends_with_the_program_has_its_audit_row_too() {
    for way in ["end of input", "TERM", "INT"] {
        let (root, state) = (tool_trials::directory(), tool_trials::directory());
        let state_home = ("XDG_STATE_HOME", state.path().to_str().unwrap());
        let mut program = serve_in(root.path(), &["--confirm", "client"], state_home);
        let answers = BufReader::new(program.0.stdout.take().unwrap());
        let mut client = Client { program, answers, asked: 0 };
        let args = json!({"cmd": "sh", "args": ["-c", "printf abc; sleep 60"], "background": true});
        client.value("bash", args);
        client.value("process_output", json!({"process_id": "p1", "wait": 30}));
        let file = state.path().join("toolbox/audit.jsonl");
        let rows = || -> Vec<Value> {
            let text = std::fs::read_to_string(&file).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let ends =
            || rows().into_iter().filter(|row| row["args"]["process_id"] == "p1" && row["tool"] == "bash");
        assert_eq!(ends().count(), 0, "it runs");
        if way == "end of input" {
            drop(client.program.0.stdin.take());
        } else {
            let kill = format!("kill -{way} {}", client.program.0.id());
            assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        }
        client.program.0.wait().unwrap();
        let told: Vec<Value> = ends().collect();
        let [end] = told.as_slice() else { panic!("{way}: {:?}", rows()) };
        assert_eq!((&end["outcome"], &end["code"]), (&json!("cancelled"), &json!("cancelled")), "{way}");
        let wrote: Value = serde_json::from_str(end["output"]["preview"].as_str().unwrap()).unwrap();
        assert_eq!(wrote["stdout"]["bytes"], 3, "{way}");
        // The digest of what it wrote until then.
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(wrote["stdout"]["sha256"], sha256, "{way}");
        assert!(rows().iter().any(|row| row["call_id"] == end["parent_call_id"]), "{way}");
    }
}

/// Whether a process runs whose command line has this word.
fn runs(word: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.into_iter().any(|line| line.split(|byte| *byte == 0).any(|found| found == word.as_bytes()))
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while !holds() {
        assert!(std::time::Instant::now() < deadline, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn a_cancelled_call_ends_its_command_and_is_not_answered() {
    let root = tool_trials::directory();
    for modern_era in [false, true] {
        let mut program = serve(root.path(), &["--confirm", "client"]);
        let mut stdin = program.0.stdin.take().unwrap();
        let mut answers = BufReader::new(program.0.stdout.take().unwrap()).lines();
        let write = |id, method: &str, params: Value| match modern_era {
            true => modern(id, method, params),
            false => legacy(id, method, &params),
        };
        let opening = if modern_era { write(0, "tools/list", json!({})) } else { initialize() };
        writeln!(stdin, "{opening}").unwrap();
        answers.next().unwrap().unwrap();
        // A time that no other process sleeps for.
        let time = format!("60.{}{}", std::process::id(), u8::from(modern_era));
        let sleeps = json!({"name": "bash", "arguments": {"cmd": "sleep", "args": [time]}});
        writeln!(stdin, "{}", write(1, "tools/call", sleeps)).unwrap();
        wait_until("the command runs", || runs(&time));
        let cancelled =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
        writeln!(stdin, "{cancelled}").unwrap();
        wait_until("the command is gone", || !runs(&time));
        writeln!(stdin, "{}", write(2, "tools/list", json!({}))).unwrap();
        let next: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        assert_eq!(next["id"], 2, "nothing answers the cancelled call: {next}");
        drop(stdin);
        let rest: Vec<String> = answers.map(Result::unwrap).collect();
        assert!(rest.is_empty() && program.0.wait().unwrap().success(), "{rest:?}");
    }
}

#[test]
fn a_call_that_runs_at_the_end_is_answered_however_the_program_is_told_to_end() {
    let root = tool_trials::directory();
    for by_signal in [false, true] {
        let mut program = serve(root.path(), &["--confirm", "client"]);
        let mut stdin = program.0.stdin.take().unwrap();
        let time = format!("1.{}{}", std::process::id(), u8::from(by_signal));
        let sleeps = json!({"name": "bash", "arguments": {"cmd": "sleep", "args": [time]}});
        writeln!(stdin, "{}", modern(1, "tools/call", sleeps)).unwrap();
        wait_until("the command runs", || runs(&time));
        if by_signal {
            let id = program.0.id().to_string();
            assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        } else {
            drop(stdin);
        }
        let mut answer = String::new();
        program.0.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["result"]["structuredContent"]["exit_code"], 0, "{by_signal}: {answer}");
        assert_eq!(program.0.wait().unwrap().code(), Some(0), "by signal: {by_signal}");
    }
}

#[test]
fn the_end_of_the_input_and_a_signal_end_the_program_and_what_it_runs() {
    let root = tool_trials::directory();
    for by_signal in [false, true] {
        let mut program = serve(root.path(), &["--confirm", "client"]);
        let mut stdin = program.0.stdin.take().unwrap();
        let time = format!("61.{}{}", std::process::id(), u8::from(by_signal));
        let sleeps = json!({"name": "bash", "arguments": {"cmd": "sleep", "args": [time]}});
        writeln!(stdin, "{}", modern(1, "tools/call", sleeps)).unwrap();
        wait_until("the command runs", || runs(&time));
        if by_signal {
            let id = program.0.id().to_string();
            assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        } else {
            drop(stdin);
        }
        assert_eq!(program.0.wait().unwrap().code(), Some(0), "by signal: {by_signal}");
        wait_until("the command is gone", || !runs(&time));
    }
}

#[test]
fn what_cannot_be_served_says_why_and_how() {
    let root = tool_trials::directory();
    let nobody = root.path().join("nobody.toml");
    std::fs::write(&nobody, "version = 1\n[agents.other]\ntools = [\"*\"]\n").unwrap();
    let known = root.path().join("known.toml");
    std::fs::write(&known, "version = 1\n[agents.mcp]\ntools = [\"read_file\"]\n").unwrap();
    let (nobody, known) = (nobody.to_str().unwrap(), known.to_str().unwrap());
    for (options, code, says) in [
        (&["--http", "0.0.0.0:0"][..], 6, "--token-secret"),
        (&["--http", "nowhere"], 2, "ADDR:PORT"),
        (&["--policy", nobody], 6, "No tool is left to serve"),
        (&["--policy", known, "--only", "read_*"], 2, "--only"),
        (&["--only", "nope*"], 2, "--only nope* matches no tool"),
        (&["--search", "--pin", "read_fil"], 2, "did you mean read_file?"),
        (&["--token-secret", "TOOL_TEST_UNSET", "--http", "0"], 6, "TOOL_TEST_UNSET"),
    ] {
        let mut program = serve(root.path(), options);
        drop(program.0.stdin.take());
        let mut said = String::new();
        program.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(program.0.wait().unwrap().code(), Some(code), "{options:?}: {said}");
        assert!(said.contains(says), "{options:?}: {said}");
    }
    let list = [initialize(), legacy(1, "tools/list", &json!({}))];
    let (answers, code) = talk(root.path(), &["--policy", known], &list);
    let tools = of(&answers, 1)["result"]["tools"].as_array().unwrap();
    // Whoever may call a tool may read what it parked. (calls.md §3)
    let names: Vec<Option<&str>> = tools.iter().map(|tool| tool["name"].as_str()).collect();
    assert_eq!((names, code), (vec![Some("read_file"), Some("read_result")], Some(0)));
    let (answers, _) = talk(root.path(), &["--search", "--pin", "read_file", "--skills"], &list);
    let tools = of(&answers, 1)["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 6, "four, a pinned one, and what reads long results");
    let capabilities = &of(&answers, 0)["result"]["capabilities"];
    assert!(capabilities["extensions"]["io.modelcontextprotocol/skills"].is_object(), "{capabilities}");
}

#[test]
fn a_program_that_others_can_reach_serves_with_a_token_and_a_host() {
    let root = tool_trials::directory();
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolbox"));
    command.args(["mcp", "serve", "--http", "0.0.0.0:0", "--token-secret", "TOOL_TEST_TOKEN"]);
    command.args(["--allow-host", "tools.example", "--root"]).arg(root.path());
    command.env("TOOLBOX_JOURNAL", "off").env("TOOL_TEST_TOKEN", "s3cret").stderr(Stdio::piped());
    let mut program = Program(command.stdin(Stdio::null()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(program.0.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let port = line.trim().strip_suffix("/mcp").and_then(|url| url.rsplit(':').next());
    let address = format!("127.0.0.1:{}", port.unwrap_or_else(|| panic!("{line}")));
    for (token, code) in [("s3cret", "200"), ("wrong", "401")] {
        let body = modern(1, "tools/list", json!({}));
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: tools.example\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Authorization: Bearer {token}\r\nMcp-Method: tools/list\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(answer.split(' ').nth(1), Some(code), "{token}: {answer}");
    }
}

#[test]
fn every_process_lists_the_same_bytes() {
    let root = tool_trials::directory();
    let list = [initialize(), legacy(1, "tools/list", &json!({}))];
    let texts = (0..10).map(|_| of(&talk(root.path(), &[], &list).0, 1).to_string());
    let texts: std::collections::BTreeSet<String> = texts.collect();
    assert_eq!(texts.len(), 1, "members are in the same order each time");
}
