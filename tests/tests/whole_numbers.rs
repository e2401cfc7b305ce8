//! A whole number of 64 bits comes back digit for digit, whichever way it came in.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::io::{self};

use serde_json::{Value, json};
use tests::captured::Captured;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;
use tool_cli::{Cli, ExitCode, Io};
use tool_core::dialect::{Dialect as _, DialectId, ModelCall, PlanOptions, StrictPolicy};
use tool_core::prelude::*;
use tool_core::{Behavior, Call, Caller, DynTool, Executor, Registry};
use tool_mcp::{McpServer, serve_streams};

/// The first whole number that a double cannot hold, and others that only 64 bits do.
const EXACT: [&str; 4] =
    ["9007199254740993", "9223372036854775807", "9223372036854775809", "18446744073709551615"];

/// One more than 64 bits hold.
const TOO_LARGE: &str = "18446744073709551616";

/// Gives its number back.
#[tool(register = false)]
fn echo(
    /// The number.
    #[arg(positional)]
    n: u64,
) -> u64 {
    n
}

fn registry() -> Registry {
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 0}},
        "required": ["n"],
        "additionalProperties": false,
    });
    let by_schema = DynTool::builder("by_schema")
        .description("Gives its number back.")
        .behavior(Behavior::READ)
        .input_schema(schema)
        .handler_sync(|args, _| Ok(ToolOutput::structured(args["n"].clone())))
        .build()
        .unwrap();
    Registry::builder().add::<EchoTool>().add_dyn(by_schema).build().unwrap()
}

fn input(digits: &str) -> String {
    format!("{{\"n\":{digits}}}")
}

/// The result of a call by its arguments' text, as text.
fn by_text(tool: &str, text: &str) -> Result<String, ToolError> {
    let executor = Executor::standard(registry()).build().unwrap();
    let output = executor.call_text_blocking(tool, text, &ToolContext::empty(), Caller::Test)?;
    Ok(output.data().to_string())
}

/// The same by a value.
fn by_value(tool: &str, args: Value) -> Result<String, ToolError> {
    let executor = Executor::standard(registry()).build().unwrap();
    let output = executor.call_blocking(Call::new(tool, args), &ToolContext::empty(), Caller::Test)?;
    Ok(output.data().to_string())
}

/// What a command line prints.
fn printed(argv: &[&str], stdin: &str) -> (ExitCode, String) {
    let sink = Captured::default();
    let stdin = io::Cursor::new(stdin.as_bytes().to_vec());
    let io = Io { stdin: Box::new(stdin), stdout: Box::new(sink.clone()), ..Io::detached("/") };
    let code = Cli::new(registry()).name("demo").run_from(argv, io);
    (code, sink.text().trim_end().to_owned())
}

/// What a model is told that calls in its provider's way: the items of the history, as text.
fn by_model(dialect: DialectId, strict: StrictPolicy, tool: &str, digits: &str) -> String {
    let executor = Executor::standard(registry()).build().unwrap();
    let entry = executor.registry().get(tool).unwrap();
    let options = PlanOptions { strict: Some(strict), ..PlanOptions::default() };
    let plan = dialect.plan(&[entry], &options).unwrap();
    let args = Ok(json!({ "n": digits.parse::<u64>().unwrap() }));
    let call = ModelCall { id: "call_a".to_owned(), wire_id: None, name: tool.to_owned(), args };
    let body = dialect.encode_calls(&[call], "").to_string();
    assert!(body.contains(digits), "{dialect}: {body}");
    let mut calls = dialect.decode(&plan, &serde_json::from_str(&body).unwrap(), 0).unwrap().calls;
    let mut call = calls.remove(0);
    let args = std::mem::replace(&mut call.args, Ok(Value::Null)).unwrap();
    let result = executor.call_blocking(Call::new(tool, args), &ToolContext::empty(), Caller::Llm);
    dialect.encode_results(&plan, &[(call, result)]).iter().map(Value::to_string).collect()
}

/// What an MCP client is told of a call, as text.
fn over_mcp(tool: &str, digits: &str) -> String {
    let server = McpServer::builder(Executor::standard(registry())).build().unwrap();
    let about = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = format!("{{\"name\":\"{tool}\",\"arguments\":{},\"_meta\":{about}}}", input(digits));
    let call = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{params}}}\n");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (mut near, far) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(far);
        let served = serve_streams(server, read, write, CancellationToken::new());
        let talked = async move {
            near.write_all(call.as_bytes()).await.unwrap();
            near.shutdown().await.unwrap();
            let mut written = String::new();
            near.read_to_string(&mut written).await.unwrap();
            written
        };
        tokio::join!(served, talked).1
    })
}

fn code_of(error: &ToolError) -> &str {
    error.arg_issues()[0].code.as_str()
}

#[test]
fn every_digit_comes_back_on_every_way() {
    for digits in EXACT {
        for tool in ["echo", "by_schema"] {
            assert_eq!(by_text(tool, &input(digits)).unwrap(), digits, "{tool}, text");
            assert_eq!(by_text(tool, &input(&format!("\"{digits}\""))).unwrap(), digits, "{tool}, quoted");
            let number: u64 = digits.parse().unwrap();
            assert_eq!(by_value(tool, json!({ "n": number })).unwrap(), digits, "{tool}, value");
            assert_eq!(by_value(tool, json!(input(digits))).unwrap(), digits, "{tool}, text in a value");
        }
        let done = |text: &str| (ExitCode::SUCCESS, text.to_owned());
        assert_eq!(printed(&["echo", digits], ""), done(digits));
        assert_eq!(printed(&["echo", "--n", digits, "--json"], ""), done(digits));
        assert_eq!(printed(&["echo", "--input", &input(digits)], ""), done(digits));
        assert_eq!(printed(&["echo", "--input", "-"], &input(digits)), done(digits));
        let line = format!("{{\"id\":{digits},\"tool\":\"echo\",\"args\":{}}}\n", input(digits));
        let (code, answer) = printed(&["call", "--jsonl", "-"], &line);
        assert_eq!(code, ExitCode::SUCCESS);
        assert!(answer.contains(&format!("\"data\":{digits}")), "{answer}");
        assert!(answer.starts_with(&format!("{{\"id\":{digits},")), "{answer}");
        let (_, yaml) = printed(&["echo", digits, "-o", "yaml"], "");
        assert_eq!(yaml, digits);
    }
}

#[test]
fn models_and_mcp_clients_get_back_every_digit() {
    let dialects =
        [DialectId::Anthropic, DialectId::OpenAiChat, DialectId::OpenAiResponses, DialectId::Gemini];
    for digits in EXACT {
        for tool in ["echo", "by_schema"] {
            for dialect in dialects {
                for strict in [StrictPolicy::Never, StrictPolicy::Prefer] {
                    let told = by_model(dialect, strict, tool, digits);
                    assert!(told.contains(digits), "{dialect} {strict:?} {tool}: {told}");
                }
            }
            let told = over_mcp(tool, digits);
            assert!(told.contains("\"structuredContent\":") && told.contains(digits), "{tool}: {told}");
        }
    }
}

#[test]
fn a_number_that_no_longer_fits_has_lost_digits_and_in_quotes_it_is_out_of_range() {
    for tool in ["echo", "by_schema"] {
        assert_eq!(code_of(&by_text(tool, &input(TOO_LARGE)).unwrap_err()), "precision", "{tool}");
    }
    assert_eq!(code_of(&by_text("echo", &input(&format!("\"{TOO_LARGE}\""))).unwrap_err()), "range");
    assert_eq!(printed(&["echo", TOO_LARGE], "").0, ExitCode(2));
    let line = format!("{{\"tool\":\"echo\",\"args\":{}}}", input(TOO_LARGE));
    let (code, answer) = printed(&["call", "--jsonl", "-"], &line);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((code, &answer["error"]["issues"][0]["code"]), (ExitCode::FAILURE, &json!("precision")));
}
