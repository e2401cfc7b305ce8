//! The direct way of the common requests answers what rmcp's way answers.
//!
//! A member that nobody knows beside `method` sends a message rmcp's way, and means nothing there: each message goes both ways.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::sync::{Barrier, Semaphore};
use tokio_util::sync::CancellationToken;
use tool_core::prelude::*;
use tool_core::{Behavior, Content, DynTool, Executor, Registry, ResourceBody};
use tool_mcp::{Filter, McpServer, McpServerBuilder, serve_streams};

use crate::client::{initialize, legacy, modern, send, serve};
use crate::tools::{builder, registry};

/// Gives blocks of every kind.
fn blocks() -> DynTool {
    let content = || {
        let text = |text: &str| Some(text.to_owned());
        vec![
            Content::text("grün \u{1}\n\"quoted\""),
            Content::Image { data: "aGk=".into(), mime_type: "image/png".into() },
            Content::Audio { data: "aGk=".into(), mime_type: "audio/wav".into() },
            Content::Resource {
                uri: "file:///a".into(),
                mime_type: None,
                body: ResourceBody::Text("a".into()),
            },
            Content::Resource {
                uri: "file:///b".into(),
                mime_type: text("application/octet-stream"),
                body: ResourceBody::Blob("aGk=".into()),
            },
            Content::Json { value: json!({"a": [1, 2.5, null]}) },
            Content::ResourceLink {
                uri: "file:///c".into(),
                name: "c".into(),
                mime_type: text("text/plain"),
            },
            Content::ResourceLink { uri: "file:///d".into(), name: "d".into(), mime_type: None },
        ]
    };
    DynTool::builder("blocks")
        .description("Gives blocks of every kind.")
        .behavior(Behavior::READ)
        .input_schema(json!({"type": "object", "properties": {}}))
        .handler_sync(move |_, _| {
            Ok(ToolOutput { content: content(), ..ToolOutput::structured(json!({"a": 1})) })
        })
        .build()
        .unwrap()
}

/// Gives its arguments back.
fn back() -> DynTool {
    DynTool::builder("back")
        .description("Gives its arguments back.")
        .behavior(Behavior::READ)
        .input_schema(json!({"type": "object"}))
        .handler_sync(|args, _| Ok(ToolOutput::structured(args)))
        .build()
        .unwrap()
}

/// Needs a person's word.
#[tool(register = false, side_effect, idempotent = false, destructive)]
fn wipe() -> String {
    "wiped".to_owned()
}

/// Adds numbers without a thread of its own.
#[tool(register = false)]
async fn plus(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    a + b
}

fn larger() -> McpServerBuilder {
    let more = registry().to_builder().add_dyn(blocks()).add_dyn(back()).add::<WipeTool>().add::<PlusTool>();
    McpServer::builder(Executor::standard(more.build().unwrap()))
        .name("demo")
        .version("1.2.3")
        .summary("Words.")
}

/// The two ends of a session.
struct Session {
    read: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
}

impl Session {
    /// A session that is open.
    async fn open(server: McpServer, opener: &str) -> Session {
        let (read, write) = tokio::io::split(serve(server));
        let mut session = Session { read: BufReader::new(read).lines(), write };
        session.say(opener).await;
        session.hear().await;
        session
    }

    async fn say(&mut self, line: &str) {
        self.write.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        let line = tokio::time::timeout(tool_trials::patience(), self.read.next_line()).await;
        serde_json::from_str(&line.expect("an answer").unwrap().expect("the session goes on")).unwrap()
    }

    /// The answer to a request, and the notifications before it.
    async fn ask(&mut self, line: &str) -> Vec<Value> {
        self.say(line).await;
        let mut heard = vec![self.hear().await];
        while heard.last().is_some_and(|message| message.get("method").is_some()) {
            heard.push(self.hear().await);
        }
        heard
    }
}

/// The same message for rmcp.
fn for_rmcp(line: &str) -> String {
    line.replacen("{\"jsonrpc\"", "{\"unknown\":1,\"jsonrpc\"", 1)
}

/// Parameters of requests, without and with mistakes.
fn requests() -> Vec<(&'static str, Value)> {
    let call = |name: &str, arguments: Value| ("tools/call", json!({"name": name, "arguments": arguments}));
    let nested = (0..70).fold(json!(1), |inner, _| json!([inner]));
    vec![
        ("ping", json!({})),
        ("tools/list", json!({})),
        ("tools/list", json!({"cursor": null})),
        ("tools/list", json!({"cursor": "djE6Z3JlZXQ"})),
        ("tools/list", json!({"cursor": "nonsense"})),
        ("tools/list", json!({"name": "greet"})),
        call("greet", json!({"name": "Ada", "times": "2"})),
        call("greet", json!({"name": "grün \u{1F600} \u{7f}\t\"\\/"})),
        call("greet", json!({"times": 9, "nam": 1})),
        call("add", json!({"a": 2, "b": 3})),
        call("add", json!({"a": 2.0, "b": "3"})),
        call("add", json!({"a": i64::MAX, "b": 1})),
        call("plus", json!({"a": 2, "b": 3})),
        call("plus", json!({"a": 2})),
        call("same", json!({"number": u64::MAX})),
        call("same", json!({"number": -1})),
        call("note", json!({"text": ""})),
        call("broken", json!({})),
        call("panics", json!({})),
        call("unlisted", json!({})),
        call("keyed", json!({"x": 1})),
        call("gret", json!({})),
        call("blocks", json!({})),
        call("wipe", json!({})),
        call("back", json!({"": null, "a": {"b": [1.5, -0.0, 1e300, {"c": "d"}]}, "z": 1, "y": 2})),
        call("back", json!({"deep": nested})),
        ("tools/call", json!({"name": "unlisted"})),
        ("tools/call", json!({"name": "unlisted", "arguments": null})),
        ("tools/call", json!({"name": "unlisted", "arguments": []})),
        ("tools/call", json!({"name": "unlisted", "arguments": "{}"})),
        ("tools/call", json!({"name": "unlisted", "task": {"ttl": 1}})),
        ("tools/call", json!({"name": "unlisted", "requestState": "forged"})),
        ("tools/call", json!({"name": "unlisted", "inputResponses": {"x": {"action": "accept"}}})),
        ("tools/call", json!({"name": 5})),
        ("tools/call", json!({"arguments": {}})),
        ("tools/call", json!({})),
    ]
}

/// What requests say of themselves besides what their era asks for.
fn metas() -> Vec<Value> {
    vec![
        json!({}),
        json!({"other": {"a": 1}}),
        json!({"progressToken": "t"}),
        json!({"progressToken": 7, "toolbox/idempotencyKey": "k"}),
        json!({"progressToken": {}, "toolbox/idempotencyKey": 5}),
        json!({"toolbox/idempotencyKey": "x".repeat(300)}),
    ]
}

async fn goes_both_ways(builder: fn() -> McpServerBuilder, is_modern: bool) {
    let opener = if is_modern { modern(0, "tools/list", json!({})) } else { initialize() };
    let mut session = Session::open(builder().build().unwrap(), &opener).await;
    for (method, params) in requests() {
        for meta in metas() {
            let line = match is_modern {
                // What the era asks for stands beside the rest.
                true => {
                    let mut message: Value =
                        serde_json::from_str(&modern(7, method, params.clone())).unwrap();
                    let said = message["params"]["_meta"].as_object_mut().unwrap();
                    said.extend(meta.as_object().unwrap().clone());
                    message.to_string()
                }
                false => {
                    let mut params = params.clone();
                    params["_meta"] = meta;
                    legacy(7, method, &params)
                }
            };
            let (direct, by_rmcp) = (session.ask(&line).await, session.ask(&for_rmcp(&line)).await);
            assert_eq!(direct, by_rmcp, "{line}");
        }
    }
}

#[tokio::test]
async fn both_ways_answer_alike_in_a_session() {
    goes_both_ways(larger, false).await;
}

#[tokio::test]
async fn both_ways_answer_alike_without_one() {
    goes_both_ways(larger, true).await;
}

#[tokio::test]
async fn both_ways_hide_the_same_tools() {
    let hiding = || {
        let filter =
            Filter { except: vec!["add".into(), "wipe".into()], read_only: true, ..Filter::default() };
        larger().filter(filter)
    };
    goes_both_ways(hiding, false).await;
    goes_both_ways(hiding, true).await;
}

#[tokio::test]
async fn messages_in_unusual_writing_are_answered_alike() {
    let mut session = Session::open(larger().build().unwrap(), &initialize()).await;
    let lines = [
        r#" { "params" : { "arguments" : { "b" : 1 , "a" : 2 } , "name" : "add" } , "method" : "tools/call" , "id" : "a b" , "jsonrpc" : "2.0" } "#,
        r#"{"jsonrpc":"2.0","id":"\u0061","method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}"#,
        r#"{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}"#,
        r#"{"jsonrpc":"2.0","id":-3,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}"#,
        r#"{"jsonrpc":"2.0","id":9223372036854775807,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools\/call","params":{"name":"\u0061dd","arguments":{"a":1,"a":2,"b":2}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"add","name":"same","arguments":{}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"add","arguments":{"a":1e999,"b":2}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"back","arguments":{"a":1,"a":2}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":null}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":null}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"ping","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2},"_meta":{"progressToken":1,"progressToken":2}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2},"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01"}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2},"_meta":null}}"#,
    ];
    for line in lines {
        let direct = session.ask(line).await;
        let by_rmcp = session.ask(&line.replacen('{', "{\"unknown\":1,", 1)).await;
        assert_eq!(direct, by_rmcp, "{line}");
    }
}

/// Counts what rmcp's service says it has received.
struct Received(Arc<AtomicUsize>);

impl tracing::Subscriber for Received {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("rmcp::service") && metadata.is_event()
    }

    fn event(&self, event: &tracing::Event<'_>) {
        struct Text(bool);
        impl tracing::field::Visit for Text {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn fmt::Debug) {
                self.0 |= field.name() == "message" && format!("{value:?}") == "received request";
            }
        }
        let mut text = Text(false);
        event.record(&mut text);
        self.0.fetch_add(usize::from(text.0), Ordering::Relaxed);
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

#[tokio::test]
async fn the_common_requests_do_not_pass_through_rmcp() {
    let received = Arc::new(AtomicUsize::new(0));
    let _listening = tool_trials::listening(Received(Arc::clone(&received)));
    let count = || received.load(Ordering::Relaxed);
    let args = json!({"name": "plus", "arguments": {"a": 1, "b": 2}, "_meta": {"progressToken": 1}});

    let mut session = Session::open(larger().build().unwrap(), &initialize()).await;
    let common = [
        legacy(1, "ping", &Value::Null),
        legacy(2, "tools/list", &json!({})),
        legacy(3, "tools/call", &args),
    ];
    let common = common.map(|line| line.replace(",\"params\":null", ""));
    for line in &common {
        let before = count();
        session.ask(line).await;
        assert_eq!(count(), before, "{line}");
        session.ask(&for_rmcp(line)).await;
        assert_eq!(count(), before + 1, "its twin does: {line}");
    }
    // After a second handshake rmcp alone knows who the client is.
    session.ask(&initialize()).await;
    let before = count();
    session.ask(&common[2]).await;
    assert_eq!(count(), before + 1);

    let opener = modern(0, "tools/list", json!({}));
    let mut session = Session::open(larger().build().unwrap(), &opener).await;
    let before = count();
    session.ask(&modern(1, "tools/list", json!({}))).await;
    session.ask(&modern(2, "tools/call", json!({"name": "plus", "arguments": {"a": 1, "b": 2}}))).await;
    assert_eq!(count(), before);
}

#[tokio::test]
async fn an_argument_of_ten_mebibytes_goes_both_ways() {
    let mut session = Session::open(larger().build().unwrap(), &initialize()).await;
    let big = "x".repeat(10 * 1024 * 1024);
    let line = legacy(1, "tools/call", &json!({"name": "greet", "arguments": {"name": big}}));
    let (direct, by_rmcp) = (session.ask(&line).await, session.ask(&for_rmcp(&line)).await);
    assert_eq!(direct[0]["result"]["structuredContent"]["length"], big.len() + "Hello .".len());
    assert!(direct == by_rmcp, "the answers differ");
}

/// A server with one tool that waits for a barrier, or for a place.
fn waiting(
    tool: impl Fn(&ToolContext) -> tool_core::BoxFuture<'static, ()> + Send + Sync + 'static,
) -> McpServer {
    let tool = DynTool::builder("meet")
        .description("Waits for something.")
        .behavior(Behavior::READ)
        .input_schema(json!({"type": "object", "properties": {}}))
        .handler(move |_, ctx| {
            let wait = tool(&ctx);
            async move {
                wait.await;
                Ok(ToolOutput::text("met"))
            }
        })
        .build()
        .unwrap();
    let registry = Registry::builder().add_dyn(tool).build().unwrap();
    McpServer::builder(Executor::standard(registry)).build().unwrap()
}

#[tokio::test]
async fn a_thousand_calls_run_at_the_same_time() {
    let barrier = Arc::new(Barrier::new(1_000));
    let server = waiting(move |_| {
        let barrier = Arc::clone(&barrier);
        Box::pin(async move { _ = barrier.wait().await })
    });
    let Session { mut read, write } = Session::open(server, &initialize()).await;
    let lines = (1..=1_000).map(|id| legacy(id, "tools/call", &json!({"name": "meet", "arguments": {}})));
    let sent = send(write, lines.collect());
    let mut ids = std::collections::BTreeSet::new();
    while ids.len() < 1_000 {
        let answer: Value = serde_json::from_str(&read.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!(answer["result"]["content"][0]["text"], "met", "{answer}");
        assert!(ids.insert(answer["id"].as_u64().unwrap()), "{answer}");
    }
    drop(sent.await.unwrap());
}

/// How many calls of [`noting`] have begun, and how many were cancelled.
type Noted = Arc<(Semaphore, Semaphore)>;

/// A server whose tool waits until it is cancelled.
fn noting() -> (McpServer, Noted) {
    let noted: Noted = Arc::new((Semaphore::new(0), Semaphore::new(0)));
    let own = Arc::clone(&noted);
    let server = waiting(move |ctx| {
        let (ctx, noted) = (ctx.clone(), Arc::clone(&own));
        Box::pin(async move {
            noted.0.add_permits(1);
            ctx.cancelled().await;
            noted.1.add_permits(1);
        })
    });
    (server, noted)
}

#[tokio::test]
async fn a_cancelled_call_is_not_answered_and_its_tool_is_told() {
    let (server, noted) = noting();
    let mut session = Session::open(server, &initialize()).await;
    let line = legacy(1, "tools/call", &json!({"name": "meet", "arguments": {}}));
    for (line, id) in [(line.clone(), json!(1)), (line.replace("\"id\":1", "\"id\":\"one\""), json!("one"))] {
        session.say(&line).await;
        drop(noted.0.acquire().await.unwrap());
        noted.0.forget_permits(1);
        let cancelled =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        session.say(&cancelled.to_string()).await;
        drop(tokio::time::timeout(tool_trials::patience(), noted.1.acquire()).await.unwrap().unwrap());
        noted.1.forget_permits(1);
        let next = session.ask(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await;
        assert_eq!(next.len(), 1);
        assert_eq!(next[0], json!({"jsonrpc": "2.0", "id": 2, "result": {}}));
    }
}

#[tokio::test(start_paused = true)]
async fn the_calls_of_a_client_that_is_gone_are_cancelled() {
    let (server, noted) = noting();
    let mut session = Session::open(server.clone(), &initialize()).await;
    session.say(&legacy(1, "tools/call", &json!({"name": "meet", "arguments": {}}))).await;
    drop(noted.0.acquire().await.unwrap());
    let began = tokio::time::Instant::now();
    drop(session);
    drop(tokio::time::timeout(Duration::from_secs(60), noted.1.acquire()).await.unwrap().unwrap());
    let took = began.elapsed();
    assert!(
        took >= Duration::from_secs(4) && took < Duration::from_secs(7),
        "they may finish first: {took:?}"
    );
    assert_eq!(server.executor().shutdown(Duration::from_secs(10)).await.left, 0);
}

#[tokio::test]
async fn a_server_that_is_stopped_cancels_its_calls() {
    let (server, noted) = noting();
    let (near, far) = tokio::io::duplex(64 * 1024);
    let stop = CancellationToken::new();
    let (read, write) = tokio::io::split(far);
    let served = tokio::spawn(serve_streams(server, read, write, stop.clone()));
    let (read, write) = tokio::io::split(near);
    let mut session = Session { read: BufReader::new(read).lines(), write };
    session.say(&initialize()).await;
    session.hear().await;
    session.say(&legacy(1, "tools/call", &json!({"name": "meet", "arguments": {}}))).await;
    drop(noted.0.acquire().await.unwrap());
    stop.cancel();
    drop(tokio::time::timeout(tool_trials::patience(), noted.1.acquire()).await.unwrap().unwrap());
    let answer = session.hear().await;
    assert_eq!(answer["id"], 1, "what it had is still answered: {answer}");
    served.await.unwrap().unwrap();
    assert_eq!(session.read.next_line().await.unwrap(), None);
}

#[tokio::test]
async fn a_call_that_ends_after_the_input_is_still_answered() {
    let place = Arc::new(Semaphore::new(0));
    let own = Arc::clone(&place);
    let server = waiting(move |_| {
        let place = Arc::clone(&own);
        Box::pin(async move { drop(place.acquire_owned().await) })
    });
    let mut session = Session::open(server, &initialize()).await;
    session.say(&legacy(1, "tools/call", &json!({"name": "meet", "arguments": {}}))).await;
    session.write.shutdown().await.unwrap();
    place.add_permits(1);
    assert_eq!(session.hear().await["id"], 1);
    assert_eq!(session.read.next_line().await.unwrap(), None, "and then the output ends");
}

#[tokio::test]
async fn a_list_shows_what_is_served_now() {
    let server = larger().live_filter().build().unwrap();
    let mut session = Session::open(server.clone(), &initialize()).await;
    session.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    let list = legacy(1, "tools/list", &json!({}));
    assert!(session.ask(&list).await[0]["result"]["tools"].as_array().unwrap().len() > 5);
    let only = Filter { only: vec!["plus".to_owned()], ..Filter::default() };
    server.set_filter(&only).unwrap();
    assert_eq!(session.hear().await["method"], "notifications/tools/list_changed");
    let answers = session.ask(&list).await;
    let tools = answers[0]["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["name"], "plus");
    let call = legacy(2, "tools/call", &json!({"name": "add", "arguments": {"a": 1, "b": 2}}));
    assert_eq!(
        session.ask(&call).await[0]["result"]["isError"],
        true,
        "what is not served any more is refused"
    );
}

#[tokio::test]
async fn answers_that_are_more_than_the_streams_hold_all_arrive() {
    let (calls, size) = (300_u32, 64 * 1024);
    let Session { mut read, write } = Session::open(builder().build().unwrap(), &initialize()).await;
    let args = json!({"name": "greet", "arguments": {"name": "y".repeat(size)}});
    let sent = send(write, (1..=calls).map(|id| legacy(id, "tools/call", &args)).collect());
    let mut ids = std::collections::BTreeSet::new();
    for _ in 1..=calls {
        let answer: Value = serde_json::from_str(&read.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!(answer["result"]["structuredContent"]["length"], size + "Hello .".len());
        assert!(ids.insert(answer["id"].as_u64().unwrap()));
    }
    drop(sent.await.unwrap());
}

#[tokio::test]
async fn requests_that_come_in_one_piece_are_answered_though_the_answers_are_many_times_as_long() {
    let count = 2_000_u32;
    let Session { mut read, mut write } = Session::open(builder().build().unwrap(), &initialize()).await;
    let lines: String = (1..=count).map(|id| legacy(id, "tools/list", &json!({})) + "\n").collect();
    let sent = tokio::spawn(async move {
        write.write_all(lines.as_bytes()).await.unwrap();
        write
    });
    for id in 1..=count {
        let answer: Value = serde_json::from_str(&read.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!(answer["id"], id);
    }
    drop(sent.await.unwrap());
}
