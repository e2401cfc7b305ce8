//! Who may speak to the server over HTTP, and who may not. (mcp.md §15, acceptance 3 and 4)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tool_core::prelude::*;
use tool_core::{ErrorKind, Executor, Progress, Registry};
use tool_mcp::{HttpOptions, HttpServer, McpServer};

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

/// Counts.
#[tool(register = false)]
fn count(ctx: &ToolContext) -> &'static str {
    ctx.progress(Progress { done: 1.0, total: Some(2.0), message: None });
    "two"
}

/// What a call that waits tells of itself.
struct Told(watch::Sender<&'static str>);

/// Waits until it is cancelled.
#[tool(register = false)]
async fn wait(#[ctx] told: &Told, ctx: &ToolContext) -> Result<String, ToolError> {
    told.0.send_replace("running");
    ctx.cancelled().await;
    told.0.send_replace("cancelled");
    Err(ToolError::cancelled("It was cancelled."))
}

fn server() -> McpServer {
    told_server(&watch::channel("idle").0)
}

fn told_server(told: &watch::Sender<&'static str>) -> McpServer {
    let registry = Registry::builder().add::<AddTool>().add::<CountTool>().add::<WaitTool>().build().unwrap();
    let context = ToolContext::builder().provide(Told(told.clone()));
    let server = McpServer::builder(Executor::standard(registry)).context(context);
    server.name("demo").version("1").build().unwrap()
}

/// A server and its address; it ends with the guard.
async fn serve(change: impl FnOnce(&mut HttpOptions)) -> (String, tokio_util::sync::DropGuard) {
    listen(server(), change).await
}

async fn listen(
    server: McpServer,
    change: impl FnOnce(&mut HttpOptions),
) -> (String, tokio_util::sync::DropGuard) {
    let mut options = HttpOptions::at("0").unwrap();
    change(&mut options);
    let stop = CancellationToken::new();
    let http = HttpServer::bind(server, options, stop.clone()).await.unwrap();
    let url = http.url().unwrap();
    tokio::spawn(http.serve());
    (url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().to_owned(), stop.drop_guard())
}

fn discover() -> String {
    request("tools/call", json!({"name": "add", "arguments": {"a": 2, "b": 3}}))
}

fn request(method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

/// The status, the head and the body of the answer to a request with these headers.
async fn post(address: &str, headers: &[(&str, &str)], body: &str) -> (u16, String, String) {
    let mut head = format!(
        "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in
        [("Host", address), ("Accept", "application/json, text/event-stream"), ("Mcp-Name", "add")]
    {
        if !headers.iter().any(|(own, _)| *own == name) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    answered(address, &format!("{head}\r\n{body}")).await
}

/// Sends a request, and reads the answer to its end.
async fn answered(address: &str, request: &str) -> (u16, String, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // A server that refuses a body need not read it.
    let _ = stream.write_all(request.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let code = head.split(' ').nth(1).unwrap_or_else(|| panic!("no answer: {answer:?}"));
    (code.parse().unwrap(), head.to_owned(), body.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn strange_hosts_and_origins_are_refused_and_those_of_this_machine_are_served() {
    let (address, _guard) = serve(|_| {}).await;
    let port = address.rsplit_once(':').unwrap().1;
    let local = format!("localhost:{port}");
    for (header, value, expected) in [
        ("Host", "evil.example", 403),
        ("Host", "evil.example:80", 403),
        ("Host", local.as_str(), 200),
        ("Origin", "http://evil.example", 403),
        ("Origin", "null", 403),
        ("Origin", "http://localhost.evil.example", 403),
        ("Origin", "http://localhost:9999", 200),
        ("X-Nothing", "1", 200),
    ] {
        let (code, head, body) = post(&address, &[(header, value)], &discover()).await;
        assert_eq!(code, expected, "{header}: {value}\n{head}\n{body}");
        assert_eq!(code == 200, body.contains("\"structuredContent\":5"), "{header}: {value}\n{body}");
        assert!(!head.to_lowercase().contains("access-control"), "{head}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_host_or_origin_is_not_let_in_behind_the_first() {
    let (address, _guard) = serve(|_| {}).await;
    for (name, good, evil, expected) in [
        ("Host", "localhost", "evil.example", 400),
        ("Origin", "http://localhost", "http://evil.example", 403),
    ] {
        for headers in [[(name, good), (name, evil)], [(name, evil), (name, good)]] {
            let (code, head, body) = post(&address, &headers, &discover()).await;
            assert_eq!((code, body.as_str()), (expected, ""), "{headers:?}: {head}");
        }
        assert_eq!(post(&address, &[(name, good)], &discover()).await.0, 200, "{name}: {good}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_port_of_an_origin_that_was_named_is_refused() {
    let named = ["https://app.example", "http://localhost:3000"].map(str::to_owned);
    let (address, _guard) = serve(|options| options.allow_origins = named.into()).await;
    for (origin, expected) in [
        ("https://app.example", 200),
        ("https://app.example:443", 200),
        ("https://app.example:8443", 403),
        ("http://app.example", 403),
        ("https://app.example.evil.com", 403),
        ("http://localhost:9999", 200),
    ] {
        let (code, head, body) = post(&address, &[("Origin", origin)], &discover()).await;
        assert_eq!(code, expected, "{origin}: {head}");
        assert_eq!(code == 200, body.contains("\"structuredContent\":5"), "{origin}\n{body}");
        let head = head.to_lowercase();
        let named = origin.starts_with("https://app.example") && code == 200;
        assert_eq!(head.contains(&format!("access-control-allow-origin: {origin}")), named, "{head}");
        assert_eq!(head.contains("access-control-expose-headers: mcp-session-id"), named, "{head}");
    }
    let mut options = HttpOptions::at("0").unwrap();
    options.allow_origins = vec!["evil".into()];
    let error = HttpServer::bind(server(), options, CancellationToken::new()).await.unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::InvalidArgs, "bad_origin"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_no_message_is_told_so_in_the_form_of_the_protocol() {
    let (address, _guard) = serve(|_| {}).await;
    for (body, id, code) in [
        ("", Value::Null, -32700),
        ("{", Value::Null, -32700),
        ("5", Value::Null, -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, Value::Null, -32600),
        (r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#, json!(3), -32600),
        (r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"\ud800"}}"#, json!(4), -32700),
    ] {
        for (status, head, told) in
            [post(&address, &[], body).await, legacy(&address, "POST", &[], body).await]
        {
            assert_eq!((status, head.contains("application/json")), (400, true), "{body}: {head}\n{told}");
            let told: Value = serde_json::from_str(&told).unwrap_or_else(|_| panic!("{body}: {told}"));
            assert_eq!((&told["id"], &told["error"]["code"]), (&id, &json!(code)), "{body}: {told}");
        }
    }
    assert_eq!(post(&address, &[], &discover()).await.0, 200, "others are served on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_no_text_is_refused_and_not_dropped() {
    let (address, _guard) = serve(|_| {}).await;
    for (key, right) in [(json!("k"), true), (json!(5), false), (json!({}), false)] {
        let mut request: Value = serde_json::from_str(&discover()).unwrap();
        request["params"]["_meta"]["toolbox/idempotencyKey"] = key.clone();
        let (_, _, body) = post(&address, &[], &request.to_string()).await;
        assert_eq!(body.contains("\"structuredContent\":5"), right, "{key}: {body}");
        assert_eq!(body.contains("-32602") && body.contains("idempotencyKey"), !right, "{key}: {body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_argument_that_is_given_twice_is_told() {
    let (address, _guard) = serve(|_| {}).await;
    let twice = discover().replace(r#""a":2"#, r#""a":2,"a":4"#);
    let (_, _, body) = post(&address, &[], &twice).await;
    assert!(body.contains("duplicate_key") && body.contains("/a"), "{body}");
    let (_, _, body) = post(&address, &[], &discover()).await;
    assert!(body.contains("\"structuredContent\":5"), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_too_large_is_refused() {
    let (address, _guard) = serve(|_| {}).await;
    let big = request("tools/call", json!({"name": "add", "arguments": {"a": "1".repeat(5 * 1024 * 1024)}}));
    assert_eq!(post(&address, &[], &big).await.0, 413);
    assert_eq!(post(&address, &[], &discover()).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_needed_where_one_is_set() {
    let (address, _guard) = serve(|options| {
        options.token = Some(Arc::new(Secret::new("s3cret")));
        options.allow_origins = vec!["https://app.example".to_owned()];
    })
    .await;
    for headers in [&[][..], &[("Authorization", "Bearer wrong")], &[("Authorization", "s3cret")]] {
        let (code, head, _) = post(&address, headers, &discover()).await;
        assert_eq!(code, 401, "{headers:?}");
        assert!(head.to_lowercase().contains("www-authenticate: bearer"), "{head}");
    }
    let good = ("Authorization", "Bearer s3cret");
    assert_eq!(post(&address, &[good], &discover()).await.0, 200);
    let (code, head, _) = post(&address, &[good, ("Origin", "https://app.example")], &discover()).await;
    assert_eq!(code, 200);
    assert!(head.contains("access-control-allow-origin: https://app.example"), "{head}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_nothing_comes_before_is_a_body_unless_the_client_names_streams_first() {
    let (address, _guard) = serve(|_| {}).await;
    for (accept, streams) in [
        ("application/json, text/event-stream", false),
        ("*/*;q=0.1, application/json;q=0.9 ,text/event-stream", false),
        ("text/event-stream, application/json", true),
        ("text/event-stream;q=1,application/json", true),
    ] {
        let (code, head, body) = post(&address, &[("Accept", accept)], &discover()).await;
        assert_eq!(code, 200, "{accept}: {head}");
        let kind = if streams { "text/event-stream" } else { "application/json" };
        assert!(head.contains(&format!("content-type: {kind}")), "{accept}: {head}");
        assert_eq!(serde_json::from_str::<Value>(&body).is_err(), streams, "{accept}: {body}");
        assert!(body.contains(r#""structuredContent":5"#), "{accept}: {body}");
    }
    let mut asked: Value = serde_json::from_str(&request("tools/call", json!({"name": "count"}))).unwrap();
    asked["params"]["_meta"]["progressToken"] = json!("p");
    let (code, head, body) = post(&address, &[("Mcp-Name", "count")], &asked.to_string()).await;
    assert_eq!(code, 200, "{head}");
    assert!(head.contains("content-type: text/event-stream"), "progress comes before it: {head}");
    let at = |text| body.find(text).unwrap_or_else(|| panic!("{text} is not in {body}"));
    assert!(at("notifications/progress") < at(r#""text":"two""#), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_cancels_its_call() {
    let (told, mut heard) = watch::channel("idle");
    let (address, _guard) = listen(told_server(&told), |_| {}).await;
    let body = request("tools/call", json!({"name": "wait", "arguments": {}}));
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: wait\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut becomes = async |state| {
        let heard = heard.wait_for(|told| *told == state);
        tokio::time::timeout(tool_trials::patience(), heard).await.unwrap().unwrap();
    };
    becomes("running").await;
    drop(stream);
    becomes("cancelled").await;
    assert_eq!(post(&address, &[], &discover()).await.0, 200, "others are served on");
}

/// Opens a session of 2025-11-25: the headers of its requests.
async fn session(address: &str) -> [(&'static str, String); 2] {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string();
    let (code, head, _) = legacy(address, "POST", &[], &body).await;
    assert_eq!(code, 200, "{head}");
    let id =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned));
    [("Mcp-Session-Id", id.unwrap()), ("MCP-Protocol-Version", "2025-11-25".to_owned())]
}

fn called(id: u32, name: &str, args: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": args}})
        .to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_in_a_session_ends_with_it() {
    let (told, mut heard) = watch::channel("idle");
    let (address, _guard) = listen(told_server(&told), |_| {}).await;
    let session = session(&address).await;
    let own = session.each_ref().map(|(name, value)| (*name, value.as_str()));
    let waits = tokio::spawn({
        let (address, session) = (address.clone(), session.clone());
        async move {
            let own = session.each_ref().map(|(name, value)| (*name, value.as_str()));
            legacy(&address, "POST", &own, &called(1, "wait", &json!({}))).await
        }
    });
    // Less than rmcp waits for what runs.
    let mut becomes = async |state| {
        let heard = heard.wait_for(|told| *told == state);
        tokio::time::timeout(std::time::Duration::from_secs(4), heard).await.unwrap().unwrap();
    };
    becomes("running").await;
    // Nobody but its client can tell the two apart, nor end one of them.
    let (_, _, again) = legacy(&address, "POST", &own, &called(1, "add", &json!({"a": 1, "b": 2}))).await;
    assert!(again.contains("-32600") && !again.contains("\"result\""), "{again}");
    let (_, _, other) = legacy(&address, "POST", &own, &called(2, "add", &json!({"a": 1, "b": 2}))).await;
    assert!(other.contains("{\"result\":3}"), "{other}");
    let (_, _, free) = legacy(&address, "POST", &own, &called(2, "add", &json!({"a": 1, "b": 3}))).await;
    assert!(free.contains("{\"result\":4}"), "its id is free again: {free}");
    assert_eq!(*told.borrow(), "running");
    let gone = legacy(&address, "DELETE", &own, "").await;
    assert!((200..300).contains(&gone.0), "{gone:?}");
    becomes("cancelled").await;
    waits.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_that_is_no_text_is_refused_and_does_not_begin_the_list_again() {
    let (address, _guard) = serve(|_| {}).await;
    let session = session(&address).await;
    let own = session.each_ref().map(|(name, value)| (*name, value.as_str()));
    for (cursor, right) in [(json!(5), false), (json!({}), false), (Value::Null, true)] {
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": cursor}});
        let (_, _, told) = legacy(&address, "POST", &own, &list.to_string()).await;
        assert_eq!(told.contains("-32602"), !right, "{cursor}: {told}");
        assert_eq!(told.contains("\"tools\":["), right, "{cursor}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn there_are_so_many_sessions_and_one_more_when_one_ends() {
    let (address, _guard) = serve(|_| {}).await;
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string();
    let mut sessions = Vec::new();
    for _ in 0..tool_mcp::SESSIONS_MAX {
        let (code, head, _) = legacy(&address, "POST", &[], &body).await;
        assert_eq!(code, 200, "{head}");
        let id = head
            .lines()
            .find_map(|line| line.to_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned));
        sessions.push(id.unwrap());
    }
    assert_eq!(legacy(&address, "POST", &[], &body).await.0, 503);
    // What rmcp takes for JSON is for rmcp to say.
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/jsonx\r\nAccept: application/json, \
         text/event-stream\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    assert_eq!(answered(&address, &head).await.0, 503);
    let twice = body.replacen("{", "{\"method\":\"ping\",", 1);
    assert_eq!(legacy(&address, "POST", &[], &twice).await.0, 503, "one that may be a handshake");
    let versioned = [("MCP-Protocol-Version", "2025-11-25")];
    assert_eq!(legacy(&address, "POST", &versioned, &body).await.0, 503, "whatever its headers say");
    assert_eq!(post(&address, &[], &discover()).await.0, 200, "the modern era has no sessions");
    let own = [("Mcp-Session-Id", sessions[0].as_str()), ("MCP-Protocol-Version", "2025-11-25")];
    let gone = legacy(&address, "DELETE", &own, "").await;
    assert!((200..300).contains(&gone.0), "{gone:?}");
    assert_eq!(legacy(&address, "POST", &[], &body).await.0, 200);
}

/// A request of the legacy era: the status, the head and what there is of the body.
async fn legacy(address: &str, method: &str, headers: &[(&str, &str)], body: &str) -> (u16, String, String) {
    let own: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!(
        "{method} /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{own}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    answered(address, &head).await
}

#[tokio::test]
async fn an_address_that_others_can_reach_needs_a_token_and_a_host() {
    let open = HttpOptions::at("0.0.0.0:0").unwrap();
    let stop = CancellationToken::new();
    let refused = HttpServer::bind(server(), open.clone(), stop.clone()).await.unwrap_err();
    assert_eq!((refused.kind().as_str(), refused.code_str()), ("not_configured", "exposed"));
    assert!(refused.to_json()["hint"].as_str().unwrap().contains("--token-secret"));
    let guarded = HttpOptions {
        token: Some(Arc::new(Secret::new("s3cret"))),
        allow_hosts: vec!["tools.example".to_owned()],
        ..open
    };
    assert!(HttpServer::bind(server(), guarded, stop).await.is_ok());
    assert_eq!(HttpOptions::at("nowhere").unwrap_err().code_str(), "bad_address");
}
