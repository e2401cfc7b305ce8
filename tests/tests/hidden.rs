//! A tool that an agent does not see: `tools why` tells the operator, and neither calls nor lists tell anybody else. (calls.md
//! §3, acceptance 3)

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at what it cannot build"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tests::captured::Captured;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio_util::sync::CancellationToken;
use tool_cli::{Cli, Io};
use tool_core::def::Surface;
use tool_core::prelude::*;
use tool_core::{Call, Caller, Executor, Registry, RowSource, Snapshot};
use tool_mcp::{McpServer, serve_streams};

/// Sends a mail.
#[tool(side_effect, idempotent, group = "mail", requires(secret = "SMTP_URL"), register = false)]
fn send_email(
    /// To whom.
    recipient: &str,
) -> String {
    recipient.to_owned()
}

/// Counts.
#[tool(register = false)]
fn count() -> u64 {
    5
}

fn registry() -> Registry {
    Registry::builder().add::<SendEmailTool>().add::<CountTool>().build().unwrap()
}

fn row(pattern: &str) -> (String, RowSource) {
    (pattern.to_owned(), RowSource::Manual)
}

/// One run of the program in which agents have these rows: exit status and what it wrote.
fn run(rows: &'static [&'static str], env: &[(&str, &str)], words: &[&str]) -> (u8, String) {
    let stored = move |_: &tool_cli::Settings, _: &str| Ok(rows.iter().map(|pattern| row(pattern)).collect());
    let cli = Cli::new(registry()).name("shop").rows(stored);
    let written = Captured::default();
    let env: BTreeMap<_, _> = env.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    let streams = (Box::new(written.clone()), Box::new(written.clone()));
    let folder = tool_trials::directory();
    let io = Io { stdout: streams.0, stderr: streams.1, env, ..Io::detached(folder.path()) };
    let code = cli.run_from(words.iter().copied(), io);
    (code.0, written.text())
}

#[test]
fn why_lists_every_reason_and_tells_a_missing_secret_from_a_missing_row() {
    let why = ["tools", "why", "send_email", "--agent", "writer", "-o", "text"];
    let (status, text) = run(&[], &[], &why);
    assert_eq!(status, 5, "{text}");
    let reasons: Vec<&str> = text.lines().filter_map(|line| line.split([' ', ':']).next()).collect();
    assert_eq!(reasons, ["not_enabled", "secret_missing"], "{text}");
    let (status, text) = run(&["send_email"], &[], &why);
    assert!(status == 6 && text.contains("SMTP_URL"), "{text}");
    assert_eq!(run(&["send_email"], &[("SMTP_URL", "smtp://mail")], &why), (0, "visible\n".to_owned()));
    assert_eq!(run(&[], &[], &["tools", "why", "send_letter"]).0, 3);
}

/// What a client of a server is answered in which the agent `mcp` has these rows.
fn client(rows: &[&str], requests: &[(&str, Value)]) -> Vec<Value> {
    let server = McpServer::builder(Executor::standard(registry())).name("shop");
    let server = server.rows(rows.iter().map(|pattern| row(pattern))).build().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let (near, far) = tokio::io::duplex(64 * 1024);
        let (read, write) = tokio::io::split(far);
        tokio::spawn(serve_streams(server, read, write, CancellationToken::new()));
        let (read, mut write) = tokio::io::split(near);
        let mut lines = BufReader::new(read).lines();
        let mut answers = Vec::new();
        for (id, (method, params)) in requests.iter().enumerate() {
            let mut params = params.clone();
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            write.write_all(format!("{request}\n").as_bytes()).await.unwrap();
            let answer = lines.next_line().await.unwrap().unwrap_or_else(|| panic!("no answer to {request}"));
            answers.push(serde_json::from_str(&answer).unwrap());
        }
        answers
    })
}

/// The call with a parameter that the tool does not have.
fn wrong() -> Value {
    json!({"recipientt": 5})
}

#[test]
fn a_client_is_told_neither_the_secret_nor_the_parameters_of_what_it_does_not_see() {
    let requests = [
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "send_email", "arguments": wrong()})),
        ("tools/call", json!({"name": "send_email", "arguments": {"recipient": "ann"}})),
        ("tools/call", json!({"name": "count", "arguments": {}})),
    ];
    for (rows, code) in [(&[][..], "tool_secret_missing"), (&["!send_email"], "tool_excluded")] {
        let answers = client(rows, &requests);
        let all = Value::from(answers.clone()).to_string();
        assert!(!all.contains("SMTP_URL") && !all.contains("To whom"), "{all}");
        assert!(!answers[0].to_string().contains("send_email"), "{}", answers[0]);
        assert!(answers[1].to_string().contains(code) && answers[2].to_string().contains(code), "{all}");
        assert!(!answers[1].to_string().replace("recipientt", "").contains("recipient"), "{}", answers[1]);
        assert!(answers[3].to_string().contains('5') && !answers[3].to_string().contains("error"), "{all}");
    }
}

#[test]
fn wrong_arguments_of_a_hidden_tool_describe_no_parameter_on_the_command_line_and_to_a_model() {
    // The command line: the person is the agent `operator`.
    for words in [&["send-email", "--recipientt", "5"][..], &["call", "send_email", r#"{"recipientt":5}"#]] {
        let (status, text) = run(&["!send_email"], &[("SMTP_URL", "x")], &[words, &["--json"]].concat());
        assert_eq!(status, 5, "{words:?}: {text}");
        let told: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(told["error"]["code"], "tool_excluded", "{text}");
        assert!(!text.replace("recipientt", "").contains("recipient"), "{words:?}: {text}");
        // Its twin is told what would be right.
        let (status, text) = run(&["count"], &[("SMTP_URL", "x")], &[words, &["--json"]].concat());
        assert!(status == 2 && text.replace("recipientt", "").contains("recipient"), "{words:?}: {text}");
    }
    // A model.
    let snapshot = Snapshot::builder("writer").surface(Some(Surface::Llm)).row("count", RowSource::Manual);
    let snapshot = Arc::new(snapshot.secret("SMTP_URL").build(&registry()).unwrap());
    let executor = Executor::standard(registry()).gate(snapshot).build().unwrap();
    let refused =
        executor.call_blocking(Call::new("send_email", wrong()), &ToolContext::empty(), Caller::Llm);
    let text = refused.unwrap_err().to_json().to_string();
    assert!(text.contains("tool_not_enabled") && !text.contains("recipient"), "{text}");
}
