//! One bad call gets one answer, whichever surface it came through. (arguments.md, acceptance 2)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::io;
use std::path::Path;

use serde_json::{Value, json};
use tests::captured::Captured;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;
use tool_cli::{Cli, Io};
use tool_core::dialect::{Dialect as _, DialectId, ModelCall, PlanOptions, StrictPolicy};
use tool_core::prelude::*;
use tool_core::{Call, Caller, Executor, Registry, ToolResult};
use tool_mcp::{McpServer, serve_streams};

/// How a file is read.
#[derive(serde::Deserialize, schemars::JsonSchema, Clone, Copy, Debug)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// As text.
    Text,
    /// As bytes.
    Bytes,
}

/// Reads a file.
#[tool(register = false)]
fn read(
    /// Which one.
    path: &Path,
    /// Most lines.
    limit: Option<u32>,
    /// How.
    mode: Mode,
) -> String {
    format!("{} {limit:?} {mode:?}", path.display())
}

const BAD: &str = r#"{"path": 5.5, "limt": "x", "mode": "TXT"}"#;
const GOOD: &str = r#"{"path": "a.txt", "limit": "3", "mode": "TEXT"}"#;

fn registry() -> Registry {
    Registry::builder().add::<ReadTool>().build().unwrap()
}

/// The issues of a refused call, null for one that ran.
fn issues(result: ToolResult) -> Value {
    result.map_or_else(|error| error.to_json()["issues"].clone(), |_| Value::Null)
}

/// What the command line says of its words and standard input: the issues of the one answer.
fn command_line(words: &[&str], stdin: &str) -> Value {
    let (out, err) = (Captured::default(), Captured::default());
    let io = Io {
        stdin: Box::new(io::Cursor::new(stdin.as_bytes().to_vec())),
        stdout: Box::new(out.clone()),
        stderr: Box::new(err.clone()),
        ..Io::detached("/")
    };
    let cli = Cli::new(registry()).name("demo");
    let _ = cli.run_from(words.iter().copied(), io);
    let text = if out.text().trim().is_empty() { err.text() } else { out.text() };
    let answer: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    answer["error"]["issues"].clone()
}

/// What an MCP client is told.
fn over_mcp(text: &str, modern: bool) -> Value {
    let server = McpServer::builder(Executor::standard(registry())).build().unwrap();
    let mut params = json!({"name": "read", "arguments": serde_json::from_str::<Value>(text).unwrap()});
    let client = json!({"name": "tests", "version": "1"});
    if modern {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": client,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    let open = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let line = |id: u32, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
    };
    let call = line(1, "tools/call", params);
    let sent = if modern { call } else { line(0, "initialize", open) + &call };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let written = runtime.block_on(async {
        let (mut near, far) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(far);
        let served = serve_streams(server, read, write, CancellationToken::new());
        let talked = async move {
            near.write_all(sent.as_bytes()).await.unwrap();
            near.shutdown().await.unwrap();
            let mut written = String::new();
            near.read_to_string(&mut written).await.unwrap();
            written
        };
        tokio::join!(served, talked).1
    });
    let answer: Value = serde_json::from_str(written.lines().last().unwrap()).unwrap();
    assert_eq!(answer["id"], 1, "{answer}");
    if answer["result"]["isError"] != true {
        assert!(answer["error"].is_null(), "{answer}");
        return Value::Null;
    }
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    serde_json::from_str::<Value>(text).unwrap()["error"]["issues"].clone()
}

/// The forms in which models call.
const MODELS: [(&str, DialectId, StrictPolicy); 7] = [
    ("anthropic", DialectId::Anthropic, StrictPolicy::Never),
    ("anthropic, strict", DialectId::Anthropic, StrictPolicy::Prefer),
    ("openai chat", DialectId::OpenAiChat, StrictPolicy::Never),
    ("openai chat, strict", DialectId::OpenAiChat, StrictPolicy::Prefer),
    ("openai responses", DialectId::OpenAiResponses, StrictPolicy::Never),
    ("openai responses, strict", DialectId::OpenAiResponses, StrictPolicy::Prefer),
    ("gemini", DialectId::Gemini, StrictPolicy::Never),
];

/// What a model is told whose answer holds a call with these arguments.
fn from_a_model(text: &str, dialect: DialectId, strict: StrictPolicy) -> Value {
    let executor = Executor::standard(registry()).build().unwrap();
    let entry = executor.registry().get("read").unwrap();
    let options = PlanOptions { strict: Some(strict), ..PlanOptions::default() };
    let plan = dialect.plan(&[entry], &options).unwrap();
    let args = Ok(serde_json::from_str(text).unwrap());
    let call = ModelCall { id: "call_1".to_owned(), wire_id: None, name: "read".to_owned(), args };
    let mut calls = dialect.decode(&plan, &dialect.encode_calls(&[call], ""), 0).unwrap().calls;
    assert_eq!(calls.len(), 1);
    let call = calls.remove(0);
    let run = |args| executor.call_blocking(Call::new(call.name, args), &ToolContext::empty(), Caller::Llm);
    issues(call.args.and_then(run))
}

/// The issues that each surface finds in a text of arguments.
fn found(text: &str) -> Vec<(&'static str, Value)> {
    let executor = Executor::standard(registry()).build().unwrap();
    let ctx = ToolContext::empty();
    let parsed = || Call::new("read", serde_json::from_str(text).unwrap());
    let line = json!({"id": 1, "tool": "read", "args": parsed().args}).to_string();
    let models = MODELS.map(|(name, dialect, strict)| (name, from_a_model(text, dialect, strict)));
    let others = vec![
        ("value", issues(executor.call_blocking(parsed(), &ctx, Caller::Test))),
        ("text", issues(executor.call_text_blocking("read", text, &ctx, Caller::Llm))),
        ("text as value", issues(executor.call_blocking(Call::new("read", text.into()), &ctx, Caller::Mcp))),
        ("--input", command_line(&["read", "--input", text, "-o", "json", "--envelope"], "")),
        ("--input -", command_line(&["read", "--input", "-", "-o", "json", "--envelope"], text)),
        ("call", command_line(&["call", "read", "--input", text, "-o", "json", "--envelope"], "")),
        ("mcp 2025-11-25", over_mcp(text, false)),
        ("mcp 2026-07-28", over_mcp(text, true)),
        ("batch", command_line(&["call", "--jsonl", "-"], &format!("{line}\n"))),
    ];
    [others, models.to_vec()].concat()
}

#[test]
fn every_surface_finds_the_same_issues() {
    let expected = json!([
        {"path": "/path", "code": "type", "expected": "string", "got": "number 5.5", "hint": "send it in quotes"},
        {"path": "/mode", "code": "choice", "expected": "one of \"text\", \"bytes\"", "got": "string \"TXT\"",
            "hint": "did you mean `text`?"},
        {"path": "/limt", "code": "unknown", "expected": "one of the parameters path, limit, mode",
            "got": "string \"x\"", "hint": "did you mean `limit`?"},
    ]);
    for (surface, found) in found(BAD) {
        assert_eq!(found, expected, "{surface}");
    }
}

#[test]
fn a_call_that_can_be_read_runs_on_every_surface() {
    for (surface, found) in found(GOOD) {
        assert_eq!(found, Value::Null, "{surface}");
    }
}

/// A number, or a text.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema, Clone, Debug)]
#[serde(untagged)]
enum Key {
    /// A place.
    Number(i64),
    /// A name.
    Name(String),
}

/// Picks one.
#[tool(register = false)]
fn pick(
    /// Which one.
    key: Key,
    /// How many.
    #[arg(default = 1)]
    count: u32,
) -> Value {
    json!([key, count])
}

#[test]
fn an_object_means_the_same_and_leaves_the_same_notes_on_the_command_line() {
    let registry = || Registry::builder().add::<PickTool>().build().unwrap();
    let executor = Executor::standard(registry()).build().unwrap();
    let answer = |words: &[&str], stdin: String| -> Value {
        let out = Captured::default();
        let io = Io {
            stdin: Box::new(io::Cursor::new(stdin.into_bytes())),
            stdout: Box::new(out.clone()),
            ..Io::detached("/")
        };
        let _ = Cli::new(registry()).name("demo").run_from(words.iter().copied(), io);
        serde_json::from_str(&out.text()).unwrap()
    };
    for (text, value, coerced) in [
        (r#"{"key":"5"}"#, json!(["5", 1]), Value::Null),
        (r#"{"key":5,"count":"2"}"#, json!([5, 2]), json!([{"path": "/count", "rule": "string_to_integer"}])),
    ] {
        let direct = executor.call_text_blocking("pick", text, &ToolContext::empty(), Caller::Test).unwrap();
        assert_eq!(direct.data(), value);
        assert_eq!(direct.meta.get("coerced").cloned().unwrap_or_default(), coerced);
        let line = format!("{{\"tool\":\"pick\",\"args\":{text}}}");
        for found in [
            answer(&["pick", "--envelope", "--input", text], String::new()),
            answer(&["pick", "--envelope", "--input", "-"], text.to_owned()),
            answer(&["call", "--jsonl", "-"], line),
        ] {
            assert_eq!((&found["data"], &found["meta"]["coerced"]), (&value, &coerced), "{found}");
        }
    }
    // Words of a command line are texts, whatever they mean.
    let words = answer(&["pick", "--envelope", "--key", "5", "--count", "2"], String::new());
    assert_eq!((&words["data"], &words["meta"]["coerced"]), (&json!([5, 2]), &Value::Null));
}
