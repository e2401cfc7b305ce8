//! The server as clients of both eras see it, over two streams in memory. (mcp.md §15, acceptance 2)

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, RoleClient, RunningService, ServiceError};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio_util::sync::CancellationToken;
use tool_core::prelude::*;
use tool_core::{Executor, Registry};
use tool_mcp::{Filter, McpServer, McpServerBuilder, serve_streams};

/// A person.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Greeted {
    /// What was said.
    text: String,
    /// How long it is.
    length: usize,
}

/// Greets somebody.
#[tool(register = false, group = "words", title = "Greet")]
fn greet(
    /// Whom.
    name: &str,
    /// How often.
    #[arg(range = 1..=3, default = 1)]
    times: u32,
) -> Greeted {
    let text = vec![format!("Hello {name}."); times as usize].join(" ");
    Greeted { length: text.len(), text }
}

/// Adds numbers.
#[tool(register = false)]
fn add(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    a + b
}

/// Overwrites a note.
#[tool(register = false, side_effect, idempotent, group = "words")]
fn note(
    /// What to write.
    text: &str,
) -> String {
    text.to_owned()
}

/// Always fails.
#[tool(register = false)]
fn broken() -> Result<String, ToolError> {
    Err(ToolError::failed("It is broken.").hint("mend it"))
}

/// Panics.
#[tool(register = false)]
fn panics() -> String {
    panic!("oh no")
}

/// Is not listed.
#[tool(register = false, hidden)]
fn unlisted() -> String {
    "here".to_owned()
}

/// Needs a secret.
#[tool(register = false, requires(secret = "TOOL_MCP_TEST_UNSET"))]
fn keyed(
    /// Anything.
    wish: &str,
) -> String {
    wish.to_owned()
}

/// Waits until it is cancelled.
#[tool(register = false)]
async fn wait(ctx: &ToolContext) -> Result<String, ToolError> {
    ctx.cancelled().await;
    Err(ToolError::cancelled("It was cancelled."))
}

/// Counts and tells how far it is.
#[tool(register = false)]
fn count(ctx: &ToolContext) -> u32 {
    for done in [1.0, 2.0, 2.0, 1.0, 3.0] {
        ctx.progress(tool_core::Progress { done, total: Some(3.0), message: Some("counting") });
    }
    3
}

fn registry() -> Registry {
    Registry::builder()
        .add::<GreetTool>()
        .add::<AddTool>()
        .add::<NoteTool>()
        .add::<BrokenTool>()
        .add::<PanicsTool>()
        .add::<UnlistedTool>()
        .add::<KeyedTool>()
        .add::<WaitTool>()
        .add::<CountTool>()
        .build()
        .unwrap()
}

fn builder() -> McpServerBuilder {
    McpServer::builder(Executor::standard(registry())).name("demo").version("1.2.3").summary("Words.")
}

fn client_config(version: ProtocolVersion) -> ClientConfig {
    ClientConfig::new(ClientCapabilities::default(), Implementation::new("tests", "1"))
        .with_protocol_version(version)
}

fn lifecycle(version: &ProtocolVersion) -> ClientLifecycleMode {
    match *version >= ProtocolVersion::V_2026_07_28 {
        true => ClientLifecycleMode::Discover { preferred_versions: vec![version.clone()] },
        false => ClientLifecycleMode::Initialize,
    }
}

async fn client(server: McpServer, version: ProtocolVersion) -> RunningService<RoleClient, ClientConfig> {
    let stream = serve(server);
    let lifecycle = lifecycle(&version);
    rmcp::service::serve_client_with_lifecycle(client_config(version), tokio::io::split(stream), lifecycle)
        .await
        .unwrap()
}

/// Serves over two streams in memory; the other end is given back.
fn serve(server: McpServer) -> DuplexStream {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(far);
    tokio::spawn(async move { serve_streams(server, read, write, CancellationToken::new()).await.unwrap() });
    near
}

fn versions() -> [ProtocolVersion; 3] {
    [ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28]
}

fn call(name: &'static str, args: Value) -> CallToolRequestParams {
    CallToolRequestParams::new(name).with_arguments(args.as_object().unwrap().clone())
}

/// The failure in the one text of a result.
fn failure(result: &CallToolResult) -> Value {
    assert_eq!((result.is_error, result.content.len()), (Some(true), 1), "{result:?}");
    assert!(result.structured_content.is_none(), "{result:?}");
    serde_json::from_str(&result.content[0].as_text().unwrap().text).unwrap()
}

#[tokio::test]
async fn tools_are_listed_and_called_in_every_revision() {
    let server = builder().build().unwrap();
    for version in versions() {
        let client = client(server.clone(), version.clone()).await;
        let tools = client.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["add", "broken", "count", "greet", "note", "panics", "wait"], "{version}");
        let greet = &tools[3];
        assert_eq!(greet.title.as_deref(), Some("Greet"));
        assert_eq!(greet.annotations.as_ref().unwrap().read_only_hint, Some(true));
        let meta = greet.meta.as_ref().unwrap();
        assert_eq!(meta["toolbox/group"], "words");
        assert!(meta["toolbox/fingerprint"].as_str().unwrap().starts_with("sha256:"));

        let result = client.call_tool(call("greet", json!({"name": "Ada", "times": "2"}))).await.unwrap();
        let structured = json!({"text": "Hello Ada. Hello Ada.", "length": 21});
        assert_eq!((result.is_error, result.structured_content), (None, Some(structured)), "{version}");

        let sum = client.call_tool(call("add", json!({"a": 2, "b": 3}))).await.unwrap();
        let modern = version >= ProtocolVersion::V_2026_07_28;
        let expected = if modern { json!(5) } else { json!({"result": 5}) };
        assert_eq!(sum.structured_content, Some(expected), "{version}");

        let unlisted = client.call_tool(call("unlisted", json!({}))).await.unwrap();
        assert_eq!(unlisted.is_error, None, "a hidden tool can be called");
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn failures_are_results_with_the_one_json_form() {
    let server = builder().build().unwrap();
    for version in versions() {
        let client = client(server.clone(), version).await;
        let wrong = client.call_tool(call("greet", json!({"times": 9, "nam": 1}))).await.unwrap();
        let failed = failure(&wrong);
        assert_eq!((&failed["ok"], &failed["tool"]), (&json!(false), &json!("greet")));
        let issues: Vec<&str> = failed["error"]["issues"]
            .as_array()
            .unwrap()
            .iter()
            .map(|issue| issue["path"].as_str().unwrap())
            .collect();
        assert_eq!(issues, ["/name", "/times", "/nam"]);

        let failed = failure(&client.call_tool(call("broken", json!({}))).await.unwrap());
        assert_eq!(failed["error"]["kind"], "failed");
        assert_eq!(failed["error"]["hint"], "mend it");

        let failed = failure(&client.call_tool(call("panics", json!({}))).await.unwrap());
        assert_eq!(failed["error"]["kind"], "internal");
        assert!(client.call_tool(call("add", json!({"a": 1, "b": 1}))).await.is_ok(), "the server lives on");

        // A tool without its secret says so, whatever the arguments, and describes no parameter.
        let failed = failure(&client.call_tool(call("keyed", json!({"x": 1}))).await.unwrap());
        assert_eq!(failed["error"]["kind"], "not_configured");
        assert_eq!(failed["error"]["code"], "tool_secret_missing");
        assert!(!failed.to_string().contains("wish"), "{failed}");

        match client.call_tool(call("gret", json!({}))).await {
            Err(ServiceError::McpError(error)) => {
                assert_eq!((error.code.0, &*error.message), (-32602, "Unknown tool: gret"));
                assert_eq!(error.data, Some(json!({"nearest": ["greet"]})));
            }
            other => panic!("{other:?}"),
        }
        client.cancel().await.unwrap();
    }
}

/// Sends lines and reads as many answers.
async fn talk(server: McpServer, lines: &[String], answers: usize) -> Vec<Value> {
    let (read, mut write) = tokio::io::split(serve(server));
    for line in lines {
        write.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }
    let mut read = BufReader::new(read).lines();
    let mut found = Vec::new();
    for _ in 0..answers {
        let line = tokio::time::timeout(Duration::from_secs(10), read.next_line()).await;
        let line = line.unwrap_or_else(|_| panic!("no more answers after {found:?}")).unwrap().unwrap();
        found.push(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")));
    }
    found
}

fn modern(id: u32, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn initialize() -> String {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string()
}

fn legacy(id: u32, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

#[tokio::test]
async fn methods_that_are_not_declared_are_not_found() {
    const ABSENT: [&str; 9] = [
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "logging/setLevel",
        "tasks/get",
        "skills/list",
        "subscriptions/listen",
        "completion/complete",
        "nonsense/at_all",
    ];
    let params = |method: &str| match method {
        "logging/setLevel" => json!({"level": "info"}),
        "tasks/get" => json!({"taskId": "t"}),
        "subscriptions/listen" => json!({"notifications": {"toolsListChanged": true}}),
        "completion/complete" => {
            json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}})
        }
        _ => json!({}),
    };
    let mut lines = vec![initialize()];
    lines.extend((1..).zip(ABSENT).map(|(id, method)| legacy(id, method, &params(method))));
    let answers = talk(builder().build().unwrap(), &lines, lines.len()).await;
    for answer in answers.iter().filter(|answer| answer["id"] != 0) {
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
    let lines: Vec<String> = (1..)
        .zip(ABSENT.into_iter().chain(["ping", "initialize"]))
        .map(|(id, method)| {
            let params = match method {
                "initialize" => json!({"protocolVersion": "2026-07-28", "capabilities": {},
                    "clientInfo": {"name": "tests", "version": "1"}}),
                other => params(other),
            };
            modern(id, method, params)
        })
        .collect();
    // The first line opens the modern era.
    let lines = [vec![modern(100, "tools/list", json!({}))], lines].concat();
    let answers = talk(builder().build().unwrap(), &lines, lines.len()).await;
    for answer in answers.iter().filter(|answer| answer["id"] != 100) {
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
}

#[tokio::test]
async fn broken_lines_are_answered_and_end_nothing() {
    let lines = [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        "{not json".to_owned(),
        "[]".to_owned(),
        r#"{"jsonrpc":"2.0","id":7}"#.to_owned(),
        String::new(),
        initialize(),
        r#"{"jsonrpc":"1.0","id":8,"method":"tools/list"}"#.to_owned(),
        legacy(9, "tools/call", &json!({"name": "add", "arguments": 5})),
        legacy(10, "tools/call", &json!({"name": "add", "arguments": {"a": 1, "b": 2}})),
        legacy(11, "tools/list", &json!({"cursor": "nonsense"})),
    ];
    let answers = talk(builder().build().unwrap(), &lines, 8).await;
    let code = |id: Value| {
        let of = |answer: &&Value| answer["id"] == id;
        answers.iter().filter(of).map(|answer| answer["error"]["code"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(code(Value::Null), [-32700, -32600], "{answers:?}");
    assert_eq!(code(json!(7)), [-32600], "{answers:?}");
    assert_eq!(code(json!(8)), [-32600], "{answers:?}");
    assert_eq!(code(json!(9)), [-32602], "{answers:?}");
    assert_eq!(code(json!(10)), [Value::Null], "{answers:?}");
    assert_eq!(code(json!(11)), [-32602], "{answers:?}");
}

#[tokio::test]
async fn a_line_that_is_too_long_is_refused_and_the_next_one_is_answered() {
    let big = "x".repeat(tool_mcp::LINE_BYTES + 1_024 * 1_024);
    let lines = [
        initialize(),
        legacy(1, "tools/call", &json!({"name": "greet", "arguments": {"name": big}})),
        legacy(2, "tools/call", &json!({"name": "greet", "arguments": {"name": "Ada"}})),
    ];
    let (read, mut write) = tokio::io::split(serve(builder().build().unwrap()));
    let sent = tokio::spawn(async move {
        for line in lines {
            write.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        }
        write
    });
    let mut read = BufReader::new(read).lines();
    let mut next =
        async || -> Value { serde_json::from_str(&read.next_line().await.unwrap().unwrap()).unwrap() };
    assert_eq!(next().await["id"], 0);
    assert_eq!(next().await["error"]["code"], -32600);
    assert_eq!(next().await["result"]["structuredContent"]["text"], "Hello Ada.");
    drop(sent.await.unwrap());
}

#[tokio::test]
async fn an_argument_of_ten_mebibytes_is_taken() {
    let big = "x".repeat(10 * 1024 * 1024);
    let client = client(builder().build().unwrap(), ProtocolVersion::V_2026_07_28).await;
    let length = big.len() + "Hello .".len();
    let result = client.call_tool(call("greet", json!({"name": big}))).await.unwrap();
    assert_eq!(result.structured_content.unwrap()["length"], length);
    // The text for the model is cut where the structured value is whole.
    let text = &result.content[0].as_text().unwrap().text;
    assert!(text.len() < 70_000 && text.contains("[truncated: "), "{} bytes", text.len());
    assert_eq!(client.call_tool(call("greet", json!({"name": "Ada"}))).await.unwrap().is_error, None);
}

#[tokio::test]
async fn a_filter_hides_tools_and_a_pattern_without_a_match_is_an_error() {
    let filter = Filter { only: vec!["group:words".into()], read_only: true, ..Filter::default() };
    let server = builder().filter(filter).build().unwrap();
    let client = client(server, ProtocolVersion::V_2025_11_25).await;
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["greet"]);
    let failed = failure(&client.call_tool(call("note", json!({"txt": 1}))).await.unwrap());
    assert_eq!(failed["error"]["kind"], "denied");
    assert!(!failed.to_string().contains("text\""), "no parameter is described: {failed}");

    let error = |filter: Filter| builder().filter(filter).build().unwrap_err();
    let none = error(Filter { only: vec!["gret*".into()], ..Filter::default() });
    assert_eq!((none.kind().as_str(), none.code_str()), ("invalid_args", "no_match"));
    assert_eq!(none.to_json()["hint"], "did you mean greet?");
    let nothing = error(Filter { except: vec!["*".into()], ..Filter::default() });
    assert_eq!((nothing.kind().as_str(), nothing.code_str()), ("not_configured", "no_tools"));
}

#[tokio::test]
async fn a_thousand_calls_at_once_are_answered_each_once() {
    let lines: Vec<String> = (1..=1_000)
        .map(|id| modern(id, "tools/call", json!({"name": "add", "arguments": {"a": id, "b": 1}})))
        .collect();
    let (read, mut write) = tokio::io::split(serve(builder().build().unwrap()));
    let sent = tokio::spawn(async move {
        for line in lines {
            write.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        }
        write
    });
    let mut read = BufReader::new(read).lines();
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..1_000 {
        let answer: Value = serde_json::from_str(&read.next_line().await.unwrap().unwrap()).unwrap();
        let id = answer["id"].as_u64().unwrap();
        assert_eq!(answer["result"]["structuredContent"], id + 1, "{answer}");
        assert!(ids.insert(id));
    }
    drop(sent.await.unwrap());
}

#[tokio::test]
async fn cancelled_calls_have_no_answer_and_leave_nothing_behind() {
    let server = builder().build().unwrap();
    let mut lines = vec![initialize()];
    for id in 1..=100 {
        lines.push(legacy(id, "tools/call", &json!({"name": "wait", "arguments": {}})));
        let cancelled =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        lines.push(cancelled.to_string());
    }
    lines.push(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}"#.to_owned(),
    );
    lines.push(legacy(200, "tools/call", &json!({"name": "add", "arguments": {"a": 1, "b": 2}})));
    let answers = talk(server.clone(), &lines, 2).await;
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [0, 200], "{answers:?}");
    // What runs when the server shuts down is what was left.
    let drained = server.executor().shutdown(Duration::from_secs(10)).await;
    assert_eq!(drained.left, 0, "{drained:?}");
}

#[tokio::test]
async fn progress_comes_before_the_result_and_only_when_asked_for() {
    let with = |id, token: Option<&str>| {
        let meta = token.map_or_else(|| json!({}), |token| json!({"progressToken": token}));
        legacy(id, "tools/call", &json!({"name": "count", "arguments": {}, "_meta": meta}))
    };
    let answers = talk(builder().build().unwrap(), &[initialize(), with(1, None)], 2).await;
    assert_eq!(answers[1]["id"], 1, "no token, no progress");
    let (read, mut write) = tokio::io::split(serve(builder().build().unwrap()));
    write.write_all(format!("{}\n{}\n", initialize(), with(2, Some("t"))).as_bytes()).await.unwrap();
    let mut read = BufReader::new(read).lines();
    let (mut told, mut last) = (Vec::new(), Value::Null);
    while last["id"] != 2 {
        last = serde_json::from_str(&read.next_line().await.unwrap().unwrap()).unwrap();
        if last["method"] == "notifications/progress" {
            assert_eq!(last["params"]["progressToken"], "t");
            told.push(last["params"]["progress"].as_f64().unwrap());
        }
    }
    assert_eq!(told.last(), Some(&3.0), "{told:?}");
    assert!(told.is_sorted_by(|a, b| a < b), "{told:?}");
}

#[tokio::test]
async fn ten_thousand_broken_lines_end_nothing_and_put_only_json_on_the_output() {
    let seeds = [
        initialize(),
        modern(1, "tools/list", json!({})),
        modern(2, "tools/call", json!({"name": "add", "arguments": {"a": 1, "b": 2}})),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#.to_owned(),
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let mut lines = Vec::new();
    for _ in 0..10_000 {
        let mut line = seeds[next(seeds.len())].clone().into_bytes();
        for _ in 0..=next(4) {
            let at = next(line.len().max(1));
            if line.is_empty() {
                break;
            }
            match next(3) {
                0 => line[at] = u8::try_from(next(256)).unwrap(),
                1 => drop(line.remove(at)),
                _ => line.truncate(at.max(1)),
            }
        }
        line.retain(|byte| *byte != b'\n');
        line.push(b'\n');
        lines.extend_from_slice(&line);
    }
    lines.extend_from_slice(format!("{}\n", modern(77_777, "tools/list", json!({}))).as_bytes());
    let (read, mut write) = tokio::io::split(serve(builder().build().unwrap()));
    let sent = tokio::spawn(async move {
        write.write_all(&lines).await.unwrap();
        write
    });
    let mut read = BufReader::new(read).lines();
    loop {
        let line = read.next_line().await.unwrap().expect("the session goes on");
        let answer: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(answer["jsonrpc"], "2.0");
        if answer["id"] == 77_777 {
            break;
        }
    }
    drop(sent.await.unwrap());
}

#[tokio::test]
async fn many_tools_come_in_pages_each_once() {
    let add = |registry: tool_core::registry::RegistryBuilder, at: usize| {
        let tool = tool_core::DynTool::builder(format!("tool_{at:03}"))
            .description("One of many.")
            .behavior(tool_core::Behavior::READ)
            .input_schema(json!({"type": "object", "properties": {}}))
            .handler_sync(|_, _| Ok(ToolOutput::text("here")))
            .build()
            .unwrap();
        registry.add_dyn(tool)
    };
    let registry = (0..250).fold(Registry::builder(), add).build().unwrap();
    let server = McpServer::builder(Executor::standard(registry)).build().unwrap();
    for version in versions() {
        let client = client(server.clone(), version).await;
        let (mut names, mut pages, mut cursor) = (Vec::new(), 0, None);
        loop {
            let params = rmcp::model::PaginatedRequestParams::default().with_cursor(cursor);
            let page = client.list_tools(Some(params)).await.unwrap();
            names.extend(page.tools.iter().map(|tool| tool.name.to_string()));
            pages += 1;
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(pages, 3);
        assert!(names.len() == 250 && names.is_sorted_by(|a, b| a < b), "{names:?}");
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn a_list_that_changes_is_told_in_both_eras() {
    let server = builder().live_filter().build().unwrap();
    let only = |name: &str| Filter { only: vec![name.to_owned()], ..Filter::default() };
    for modern_era in [false, true] {
        let (read, mut write) = tokio::io::split(serve(server.clone()));
        let mut read = BufReader::new(read).lines();
        let listen = modern(5, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
        let opened = match modern_era {
            true => format!("{listen}\n"),
            false => format!(
                "{}\n{}\n{}\n",
                initialize(),
                r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                legacy(5, "tools/list", &json!({}))
            ),
        };
        write.write_all(opened.as_bytes()).await.unwrap();
        let mut next =
            async || -> Value { serde_json::from_str(&read.next_line().await.unwrap().unwrap()).unwrap() };
        let first = next().await;
        match modern_era {
            true => assert_eq!(first["method"], "notifications/subscriptions/acknowledged"),
            false => {
                assert_eq!(first["result"]["capabilities"], json!({"tools": {"listChanged": true}}));
                assert_eq!(next().await["id"], 5);
            }
        }
        // The handler may begin to listen after this; a change that comes later is told.
        let told = async {
            loop {
                if next().await["method"] == "notifications/tools/list_changed" {
                    break;
                }
            }
        };
        let change = async {
            for name in ["add", "greet"].into_iter().cycle() {
                server.set_filter(&only(name)).unwrap();
                tokio::task::yield_now().await;
            }
        };
        tokio::select! { () = told => {}, () = change => {} }
    }
    server.set_filter(&only("add")).unwrap();
    let answers = talk(server, &[modern(1, "tools/list", json!({}))], 1).await;
    assert_eq!(answers[0]["result"]["tools"].as_array().unwrap().len(), 1);
    let fixed = builder().build().unwrap();
    assert_eq!(fixed.set_filter(&only("add")).unwrap_err().code_str(), "filter_fixed");
}
