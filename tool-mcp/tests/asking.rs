//! Approval and questions over both eras. (mcp.md §15, acceptance 6)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio_util::sync::CancellationToken;
use tool_core::journal::{Journal as _, MemoryJournal, RowQuery, Status};
use tool_core::prelude::*;
use tool_core::{
    Call, Caller, ContextBuilder, Coordinates, Executor, ExecutorBuilder, JournalMode, QUESTIONS_MAX,
    Question, Registry,
};

use tool_mcp::{Confirm, McpCall, McpServer, serve_streams};

/// What was deleted.
#[derive(Default)]
struct Deleted(AtomicUsize);

/// Deletes something.
#[tool(register = false, side_effect, idempotent = false, destructive)]
fn delete(
    /// What.
    name: &str,
    /// A password.
    #[arg(secret)]
    password: Option<&str>,
    #[ctx] deleted: &Deleted,
) -> String {
    let _ = password;
    deleted.0.fetch_add(1, Ordering::SeqCst);
    format!("{name} is gone")
}

/// Asks for a name, and then writes it down.
#[tool(register = false, side_effect, idempotent = false)]
async fn sign(
    /// Where.
    paper: &str,
    #[ctx] deleted: &Deleted,
    ctx: &ToolContext,
) -> Result<String, ToolError> {
    let who = Question::new("Who?").field("name", json!({"type": "string"}), true);
    let who = ctx.ask("who", who).await?;
    ctx.acts();
    deleted.0.fetch_add(1, Ordering::SeqCst);
    Ok(format!("{paper} {}", who["name"].as_str().unwrap_or("")))
}

/// Acts, and asks too late.
#[tool(register = false, side_effect, idempotent = false)]
async fn hasty(ctx: &ToolContext) -> Result<String, ToolError> {
    ctx.acts();
    ctx.confirm("sure", "Sure?").await?;
    Ok("done".to_owned())
}

/// Has the client answer, and says who it is.
#[tool(register = false)]
fn inquire(#[ctx] call: &McpCall) -> Result<String, ToolError> {
    let roots = call.input("roots", "roots/list", json!({}))?;
    Ok(format!("{} {} {} {}", call.client_name(), call.client_version(), call.protocol_version(), roots))
}

/// Asks who somebody is, and then what for.
#[tool(register = false)]
async fn interview(ctx: &ToolContext) -> Result<String, ToolError> {
    let who = Question::new("Who?").field("name", json!({"type": "string", "minLength": 2}), true);
    let who = ctx.ask("who", who).await?;
    let why = Question::new("Why?").field("reason", json!({"type": "string"}), true);
    let why = ctx.ask("why", why).await?;
    Ok(format!("{} {}", who["name"].as_str().unwrap_or(""), why["reason"].as_str().unwrap_or("")))
}

/// Adds a line, and nobody can tell afterwards: the first one that is `lost` does not say whether it was added.
#[tool(register = false, side_effect, idempotent = false)]
fn append(
    /// What.
    line: &str,
    #[ctx] deleted: &Deleted,
) -> Result<String, ToolError> {
    match deleted.0.fetch_add(1, Ordering::SeqCst) {
        0 if line == "lost" => Err(ToolError::unavailable("The other side does not answer.")),
        _ => Ok(line.to_owned()),
    }
}

struct Client {
    read: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    id: u64,
    deleted: Arc<Deleted>,
    journal: Arc<MemoryJournal>,
}

fn registry() -> Registry {
    let registry = Registry::builder().add::<DeleteTool>().add::<InterviewTool>().add::<SignTool>();
    registry.add::<HastyTool>().add::<InquireTool>().add::<AppendTool>().build().unwrap()
}

impl Client {
    fn new(confirm: Confirm) -> Client {
        let (journal, deleted) = (Arc::new(MemoryJournal::new()), Arc::new(Deleted::default()));
        let context = ToolContext::builder().provide_arc(Arc::clone(&deleted));
        Client::on(confirm, journal, deleted, context)
    }

    /// A client in a run in which another process has made these calls.
    async fn behind(confirm: Confirm, calls: &[Value]) -> Client {
        let (first, deleted) = (MemoryJournal::new(), Arc::new(Deleted::default()));
        let journal = Arc::new(first.another());
        let context = || {
            let context = ToolContext::builder().provide_arc(Arc::clone(&deleted));
            context.at(Coordinates::new("m10"))
        };
        let executor = Executor::standard(registry());
        let executor = executor.journal(Arc::new(first), JournalMode::Effects, "tests").build().unwrap();
        for call in calls {
            let call = Call::new(call["name"].as_str().unwrap(), call["arguments"].clone());
            let told = executor.call(call, &context().build(), Caller::Test).await;
            assert!(told.is_ok() || calls == [lost()], "{calls:?}");
        }
        let builder = context();
        Client::on(confirm, journal, deleted, builder)
    }

    fn on(
        confirm: Confirm,
        journal: Arc<MemoryJournal>,
        deleted: Arc<Deleted>,
        context: ContextBuilder,
    ) -> Client {
        let executor = Executor::standard(registry()).journal(journal.clone(), JournalMode::Effects, "tests");
        Client::of(executor, confirm, journal, deleted, context)
    }

    /// A client of a server that keeps no journal.
    fn unrecorded(confirm: Confirm) -> Client {
        let deleted = Arc::new(Deleted::default());
        let context = ToolContext::builder().provide_arc(Arc::clone(&deleted));
        Client::of(Executor::standard(registry()), confirm, Arc::default(), deleted, context)
    }

    fn of(
        server: ExecutorBuilder,
        confirm: Confirm,
        journal: Arc<MemoryJournal>,
        deleted: Arc<Deleted>,
        context: ContextBuilder,
    ) -> Client {
        let server = McpServer::builder(server).context(context).confirm(confirm);
        let server = server.build().unwrap();
        let (near, far) = tokio::io::duplex(64 * 1024);
        let (read, write) = tokio::io::split(far);
        tokio::spawn(serve_streams(server, read, write, CancellationToken::new()));
        let (read, write) = tokio::io::split(near);
        Client { read: BufReader::new(read).lines(), write, id: 0, deleted, journal }
    }

    /// The rows of a tool in the journal: id and status.
    async fn rows(&self, tool: &str) -> Vec<(String, Status)> {
        let query = RowQuery { tool: Some(tool.to_owned()), ..RowQuery::default() };
        let rows = self.journal.rows(&query).await.unwrap();
        rows.into_iter().map(|row| (row.call_id, row.status)).collect()
    }

    fn deleted(&self) -> usize {
        self.deleted.0.load(Ordering::SeqCst)
    }

    async fn send(&mut self, message: &Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(10), self.read.next_line()).await;
        serde_json::from_str(&line.unwrap().unwrap().unwrap()).unwrap()
    }

    /// A call of 2026-07-28, and its answer.
    async fn modern(&mut self, mut params: Value, capabilities: Value) -> Value {
        self.id += 1;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        let request = json!({"jsonrpc": "2.0", "id": self.id, "method": "tools/call", "params": params});
        self.send(&request).await;
        self.receive().await
    }

    async fn asked(&mut self, params: Value) -> Value {
        self.modern(params, json!({"elicitation": {}})).await
    }

    /// Opens a session of 2025-11-25.
    async fn initialize(&mut self, capabilities: Value) {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": {"name": "tests", "version": "1"}});
        self.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})).await;
        assert_eq!(self.receive().await["result"]["protocolVersion"], "2025-11-25");
    }
}

fn deletion(name: &str) -> Value {
    json!({"name": "delete", "arguments": {"name": name, "password": "hunter2"}})
}

/// A call whose outcome nobody knows the first time.
fn lost() -> Value {
    json!({"name": "append", "arguments": {"line": "lost"}})
}

fn retry(call: &Value, state: &str, answers: &Value) -> Value {
    let mut call = call.clone();
    call["requestState"] = state.into();
    call["inputResponses"] = answers.clone();
    call
}

fn failure(answer: &Value) -> Value {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    serde_json::from_str::<Value>(text).unwrap()["error"].clone()
}

fn state(answer: &Value) -> String {
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    answer["result"]["requestState"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_destructive_call_is_suspended_and_runs_once_when_it_is_accepted() {
    let mut client = Client::new(Confirm::Ask);
    let call = deletion("a.txt");
    let first = client.asked(call.clone()).await;
    let state = state(&first);
    let question = &first["result"]["inputRequests"]["approval"];
    assert_eq!(question["method"], "elicitation/create");
    let text = question["params"]["message"].as_str().unwrap();
    assert!(text.contains("delete") && text.contains("destructive") && text.contains("\"a.txt\""), "{text}");
    assert!(text.contains("***") && !first.to_string().contains("hunter2"), "{first}");
    assert_eq!(client.deleted(), 0);

    let yes = json!({"approval": {"action": "accept", "content": {}}});
    let mut flipped = state.clone().into_bytes();
    let middle = flipped.len() / 2;
    flipped[middle] = if flipped[middle] == b'A' { b'B' } else { b'A' };
    let flipped = String::from_utf8(flipped).unwrap();
    for (wrong, why) in [
        (retry(&deletion("b.txt"), &state, &yes), "other arguments"),
        (retry(&call, &flipped, &yes), "a flipped bit"),
        (retry(&json!({"name": "interview", "arguments": {}}), &state, &yes), "another tool"),
    ] {
        let answer = client.asked(wrong).await;
        assert_eq!(answer["error"]["code"], -32602, "{why}: {answer}");
        assert_eq!(answer["error"]["message"], "requestState is not valid for this call.");
        assert_eq!(client.deleted(), 0, "{why}");
    }
    // Answers that nobody asked for are no consent.
    let mut early = call.clone();
    early["inputResponses"] = yes.clone();
    assert_eq!(client.asked(early).await["result"]["resultType"], "input_required");
    assert_eq!(client.deleted(), 0);

    let done = client.asked(retry(&call, &state, &yes)).await;
    assert_eq!(done["result"]["content"][0]["text"], "a.txt is gone", "{done}");
    assert_eq!((done["result"]["resultType"].as_str(), client.deleted()), (Some("complete"), 1));
    let rows = client.rows("delete").await;
    assert!(matches!(rows.as_slice(), [(_, Status::Ok)]), "one call of two rounds: {rows:?}");
}

#[tokio::test]
async fn a_tool_that_asks_and_then_acts_is_one_call_in_the_journal() {
    let mut client = Client::new(Confirm::Ask);
    let call = json!({"name": "sign", "arguments": {"paper": "lease"}});
    let first = client.asked(call.clone()).await;
    let waiting = client.rows("sign").await;
    assert_eq!((waiting.len(), client.deleted()), (1, 0), "{waiting:?}");
    let answer = json!({"who": {"action": "accept", "content": {"name": "Ada"}}});
    let done = client.asked(retry(&call, &state(&first), &answer)).await;
    assert_eq!(done["result"]["content"][0]["text"], "lease Ada", "{done}");
    assert_eq!(client.rows("sign").await, [(waiting[0].0.clone(), Status::Ok)], "its own row goes on");
    assert_eq!(client.deleted(), 1);
    // The answered round comes again: the call has been made, and its outcome is what there is.
    let again = client.asked(retry(&call, &state(&first), &answer)).await;
    assert_eq!(
        (again["result"]["content"][0]["text"].as_str(), client.deleted()),
        (Some("lease Ada"), 1),
        "{again}"
    );
}

#[tokio::test]
async fn a_question_after_an_effect_is_refused() {
    let mut client = Client::new(Confirm::Ask);
    let error = failure(&client.asked(json!({"name": "hasty", "arguments": {}})).await);
    assert_eq!((&error["kind"], &error["code"]), (&json!("internal"), &json!("ask_after_effect")), "{error}");
    // Before the effect it is asked.
    let first = client.asked(json!({"name": "sign", "arguments": {"paper": "p"}})).await;
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
}

#[tokio::test]
async fn a_tool_may_have_the_client_answer_what_it_has_declared() {
    let mut client = Client::new(Confirm::Ask);
    let call = json!({"name": "inquire", "arguments": {}});
    let refused = client.modern(call.clone(), json!({"elicitation": {}})).await;
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    assert_eq!(refused["error"]["data"]["requiredCapabilities"], json!({"roots": {}}));
    let first = client.modern(call.clone(), json!({"roots": {}})).await;
    assert_eq!(first["result"]["inputRequests"]["roots"]["method"], "roots/list", "{first}");
    for nothing in [json!({}), json!({"roots": null}), json!({"roots": 5})] {
        let again = client.modern(retry(&call, &state(&first), &nothing), json!({"roots": {}})).await;
        assert_eq!(again["result"]["resultType"], "input_required", "asked again: {again}");
    }
    let answer = json!({"roots": {"roots": []}});
    let done = client.modern(retry(&call, &state(&first), &answer), json!({"roots": {}})).await;
    let text = done["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(text, "tests 1 2026-07-28 {\"roots\":[]}", "{done}");
    // The legacy era has no such requests.
    let mut legacy = Client::new(Confirm::Ask);
    legacy.initialize(json!({"roots": {}})).await;
    legacy.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})).await;
    assert_eq!(failure(&legacy.receive().await)["code"], "input_unavailable");
}

#[tokio::test]
async fn ten_rounds_are_enough() {
    let mut client = Client::new(Confirm::Ask);
    let call = json!({"name": "interview", "arguments": {}});
    let mut last = client.asked(call.clone()).await;
    let mut rounds = 1;
    while last["result"]["resultType"] == "input_required" {
        assert!(rounds <= 11, "{last}");
        last = client.asked(retry(&call, &state(&last), &json!({}))).await;
        rounds += 1;
    }
    assert_eq!((failure(&last)["code"].as_str(), rounds), (Some("too_many_rounds"), 11), "{last}");
}

#[tokio::test]
async fn declining_and_cancelling_run_nothing() {
    let mut client = Client::new(Confirm::Ask);
    let call = deletion("a.txt");
    for (action, kind, code) in
        [("decline", "denied", "approval_denied"), ("cancel", "cancelled", "cancelled")]
    {
        let state = state(&client.asked(call.clone()).await);
        let answer = client.asked(retry(&call, &state, &json!({"approval": {"action": action}}))).await;
        let error = failure(&answer);
        assert_eq!((&error["kind"], &error["code"]), (&json!(kind), &json!(code)), "{answer}");
    }
    let state = state(&client.asked(call.clone()).await);
    for nothing in
        [json!({}), json!({"approval": null}), json!({"approval": 5}), json!({"other": {"action": "accept"}})]
    {
        let again = client.asked(retry(&call, &state, &nothing)).await;
        assert_eq!(again["result"]["resultType"], "input_required", "asked again: {again}");
    }
    assert_eq!(client.deleted(), 0);
}

#[tokio::test]
async fn what_was_refused_is_refused_for_good() {
    let yes = json!({"approval": {"action": "accept", "content": {}}});
    for mut client in [Client::new(Confirm::Ask), Client::unrecorded(Confirm::Ask)] {
        let call = deletion("a.txt");
        for action in ["decline", "cancel"] {
            let state = state(&client.asked(call.clone()).await);
            client.asked(retry(&call, &state, &json!({"approval": {"action": action}}))).await;
            let again = client.asked(retry(&call, &state, &yes)).await;
            assert_eq!(again["error"]["code"], -32602, "{action}: {again}");
            assert_eq!(again["error"]["message"], "requestState is not valid for this call.");
        }
        assert_eq!(client.deleted(), 0);
        // The call may be asked for anew.
        let state = state(&client.asked(call.clone()).await);
        client.asked(retry(&call, &state, &yes)).await;
        assert_eq!(client.deleted(), 1);
    }
}

#[tokio::test]
async fn without_a_journal_a_call_goes_on_from_a_round_once() {
    let mut client = Client::unrecorded(Confirm::Ask);
    let (call, yes) = (deletion("a.txt"), json!({"approval": {"action": "accept", "content": {}}}));
    let state = state(&client.asked(call.clone()).await);
    for _ in 0..2 {
        let again = client.asked(retry(&call, &state, &json!({}))).await;
        assert_eq!(again["result"]["resultType"], "input_required", "nothing was answered: {again}");
    }
    let done = client.asked(retry(&call, &state, &yes)).await;
    assert_eq!(done["result"]["content"][0]["text"], "a.txt is gone", "{done}");
    let again = client.asked(retry(&call, &state, &yes)).await;
    assert_eq!((again["error"]["code"].as_i64(), client.deleted()), (Some(-32602), 1), "{again}");
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_is_told_how_to_go_on() {
    let mut client = Client::new(Confirm::Ask);
    let error = failure(&client.modern(deletion("a.txt"), json!({})).await);
    assert_eq!(error["code"], "confirmation_unavailable", "{error}");
    assert!(error["hint"].as_str().unwrap().contains("--confirm client"));
    // A question of the tool's own names the capability.
    let answer = client.modern(json!({"name": "interview", "arguments": {}}), json!({})).await;
    assert_eq!(answer["error"]["code"], -32021, "{answer}");
    assert_eq!(answer["error"]["data"]["requiredCapabilities"], json!({"elicitation": {}}));
    assert_eq!(client.deleted(), 0);
    let mut trusting = Client::new(Confirm::Client);
    let done = trusting.modern(deletion("a.txt"), json!({})).await;
    assert_eq!(done["result"]["isError"], Value::Null, "{done}");
    assert_eq!(trusting.deleted(), 1);
    // Nobody is asked, so nobody is worn down, however many calls there are.
    for nth in 2..=QUESTIONS_MAX + 2 {
        let done = trusting.modern(deletion(&format!("{nth}.txt")), json!({})).await;
        assert_eq!(done["result"]["isError"], Value::Null, "{nth}: {done}");
    }
    let mut denying = Client::new(Confirm::Deny);
    assert_eq!(failure(&denying.asked(deletion("a.txt")).await)["kind"], "denied");
    assert_eq!(denying.deleted(), 0);
}

#[tokio::test]
async fn an_answer_is_no_second_question_and_a_person_is_asked_so_often_and_no_more() {
    let mut client = Client::new(Confirm::Ask);
    let accept = json!({"approval": {"action": "accept", "content": {}}});
    for nth in 1..=QUESTIONS_MAX {
        let call = deletion(&format!("{nth}.txt"));
        let asked = client.asked(call.clone()).await;
        let done = client.asked(retry(&call, &state(&asked), &accept)).await;
        assert_eq!((&done["result"]["isError"], client.deleted()), (&Value::Null, nth), "{nth}: {done}");
    }
    let error = failure(&client.asked(deletion("one more")).await);
    assert_eq!((&error["code"], error["hint"].is_string()), (&json!("approval_flood"), true), "{error}");
}

#[tokio::test]
async fn several_rounds_keep_their_answers_and_what_does_not_fit_is_asked_again() {
    let mut client = Client::new(Confirm::Ask);
    let call = json!({"name": "interview", "arguments": {}});
    let accept = |content: Value| json!({"action": "accept", "content": content});
    let mut last = client.asked(call.clone()).await;
    let short = retry(&call, &state(&last), &json!({"who": accept(json!({"name": "A"}))}));
    last = client.asked(short).await;
    let message = last["result"]["inputRequests"]["who"]["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("That does not fit: ") && message.ends_with("Who?"), "{message}");
    last = client.asked(retry(&call, &state(&last), &json!({"who": accept(json!({"name": "Ada"}))}))).await;
    assert!(last["result"]["inputRequests"]["why"].is_object(), "{last}");
    last = client.asked(retry(&call, &state(&last), &json!({"why": accept(json!({"reason": "fun"}))}))).await;
    assert_eq!(last["result"]["content"][0]["text"], "Ada fun", "{last}");

    last = client.asked(call.clone()).await;
    for _ in 0..2 {
        last = client.asked(retry(&call, &state(&last), &json!({"who": accept(json!({"name": 5}))}))).await;
    }
    last = client.asked(retry(&call, &state(&last), &json!({"who": accept(json!({}))}))).await;
    assert_eq!(failure(&last)["code"], "answer_invalid");
}

#[tokio::test]
async fn answers_of_the_first_round_are_taken_and_extra_keys_ignored() {
    let mut client = Client::new(Confirm::Ask);
    let accept = |content: Value| json!({"action": "accept", "content": content});
    let answers = json!({"who": accept(json!({"name": "Ada"})), "why": accept(json!({"reason": "fun"})),
        "extra": accept(json!({}))});
    let call = json!({"name": "interview", "arguments": {}, "inputResponses": answers});
    let done = client.asked(call).await;
    assert_eq!(done["result"]["content"][0]["text"], "Ada fun", "{done}");
}

#[tokio::test]
async fn the_legacy_era_asks_during_the_call() {
    let mut client = Client::new(Confirm::Ask);
    client.initialize(json!({"elicitation": {}})).await;
    for (action, deleted) in [("decline", 0), ("accept", 1)] {
        client
            .send(
                &json!({"jsonrpc": "2.0", "id": action, "method": "tools/call", "params": deletion("a.txt")}),
            )
            .await;
        let question = client.receive().await;
        assert_eq!(question["method"], "elicitation/create", "{question}");
        client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": action}})).await;
        let answer = client.receive().await;
        assert_eq!((&answer["id"], client.deleted()), (&json!(action), deleted), "{answer}");
    }
    let mut mute = Client::new(Confirm::Ask);
    mute.initialize(json!({})).await;
    let params = json!({"name": "interview", "arguments": {}});
    mute.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})).await;
    assert_eq!(failure(&mute.receive().await)["code"], "input_unavailable");
}

/// The key and the text of the one question of a round.
fn question(answer: &Value) -> (String, String) {
    let requests = answer["result"]["inputRequests"].as_object().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(requests.len(), 1, "{answer}");
    let (key, request) = requests.iter().next().unwrap();
    (key.clone(), request["params"]["message"].as_str().unwrap().to_owned())
}

fn reply(key: &str, action: &str) -> Value {
    json!({key: {"action": action, "content": {}}})
}

#[tokio::test]
async fn consent_to_a_call_is_no_consent_to_risk_an_effect_twice() {
    let mut client = Client::behind(Confirm::Ask, &[deletion("one")]).await;
    let call = deletion("two");
    let first = client.asked(call.clone()).await;
    assert_eq!(question(&first).0, "approval");
    let second = client.asked(retry(&call, &state(&first), &reply("approval", "accept"))).await;
    let (key, text) = question(&second);
    assert!(key.starts_with("approval_") && key.len() <= 32, "{key}");
    assert!(text.contains("Earlier attempts ran") && text.contains("delete (attempt 1, seq 1)"), "{text}");
    assert!(text.contains("\"two\"") && !text.contains("hunter2"), "{text}");
    assert_eq!(client.deleted(), 1, "nothing ran in this server");
    let done = client.asked(retry(&call, &state(&second), &reply(&key, "accept"))).await;
    assert_eq!((done["result"]["content"][0]["text"].as_str(), client.deleted()), (Some("two is gone"), 2));
    let rows = client.journal.rows(&RowQuery::default()).await.unwrap();
    assert_eq!(rows[1].approved_by.as_deref(), Some("person"));
    // What a client foresees is no answer to that question.
    let mut early = deletion("three");
    early["inputResponses"] = reply(&key, "accept");
    assert_eq!(question(&client.asked(early).await).0, "approval");
}

#[tokio::test]
async fn a_no_at_the_replay_gate_is_final_and_a_question_that_waits_is_not() {
    let append = |line: &str| json!({"name": "append", "arguments": {"line": line}});
    let mut client = Client::behind(Confirm::Ask, &[append("one")]).await;
    let first = client.asked(append("two")).await;
    let (key, _) = question(&first);
    // Who asks nobody answers the next time: it was not refused meanwhile.
    let again = client.asked(append("two")).await;
    assert_eq!(question(&again).0, key);
    let refused = client.asked(retry(&append("two"), &state(&again), &reply(&key, "decline"))).await;
    let error = failure(&refused);
    assert_eq!((&error["code"], &error["details"]["layer"]), (&json!("replay_denied"), &json!("journal")));
    let final_too = failure(&client.asked(append("three")).await);
    assert_eq!((&final_too["code"], client.deleted()), (&json!("replay_denied"), 1));
}

#[tokio::test]
async fn a_call_in_doubt_runs_again_when_a_person_says_so_and_not_before() {
    let mut client = Client::behind(Confirm::Ask, &[lost()]).await;
    assert_eq!(client.rows("append").await[0].1, Status::InDoubt);
    // Who cannot be asked is told what stands in the way.
    let error = failure(&client.modern(lost(), json!({})).await);
    assert_eq!((&error["code"], client.deleted()), (&json!("confirmation_unavailable"), 1), "{error}");
    let first = client.asked(lost()).await;
    let (key, text) = question(&first);
    assert!(text.contains("append (attempt 1, seq 1)"), "{text}");
    let done = client.asked(retry(&lost(), &state(&first), &reply(&key, "accept"))).await;
    assert_eq!(
        (done["result"]["content"][0]["text"].as_str(), client.deleted()),
        (Some("lost"), 2),
        "{done}"
    );
    // Another one is told that it was refused, and nothing ran.
    let mut other = Client::behind(Confirm::Ask, &[lost()]).await;
    let first = other.asked(lost()).await;
    let refused = other.asked(retry(&lost(), &state(&first), &reply(&question(&first).0, "decline"))).await;
    assert_eq!((&failure(&refused)["code"], other.deleted()), (&json!("replay_denied"), 1));
    assert_eq!(other.rows("append").await[0].1, Status::InDoubt, "it stays to be settled");
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_has_not_said_no() {
    let append = json!({"name": "append", "arguments": {"line": "two"}});
    let first = json!({"name": "append", "arguments": {"line": "one"}});
    for confirm in [Confirm::Ask, Confirm::Deny] {
        let mut client = Client::behind(confirm, std::slice::from_ref(&first)).await;
        let error = failure(&client.modern(append.clone(), json!({})).await);
        assert_eq!((&error["code"], client.deleted()), (&json!("confirmation_unavailable"), 1), "{error}");
        if confirm == Confirm::Ask {
            question(&client.asked(append.clone()).await);
        }
    }
    let mut trusted = Client::behind(Confirm::Client, &[first]).await;
    trusted.modern(append, json!({})).await;
    assert_eq!(trusted.deleted(), 2);
    let rows = trusted.journal.rows(&RowQuery::default()).await.unwrap();
    assert_eq!(rows[1].approved_by.as_deref(), Some("client"));
}

#[tokio::test]
async fn the_outcome_of_an_earlier_call_says_so_whichever_way_it_is_answered() {
    let mut client = Client::new(Confirm::Ask);
    client.initialize(json!({})).await;
    // A negative id is rmcp's to answer, a positive one is answered where it was read.
    let mut notes = Vec::new();
    for id in [1, 2, -3] {
        let params =
            json!({"name": "append", "arguments": {"line": "one"}, "_meta": {"toolbox/idempotencyKey": "k"}});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
        let answer = client.receive().await;
        assert_eq!(
            (&answer["id"], &answer["result"]["content"][0]["text"]),
            (&json!(id), &json!("one")),
            "{answer}"
        );
        notes.push(answer["result"]["_meta"].clone());
    }
    let first = client.rows("append").await.remove(0).0;
    let told = json!({"toolbox/replayed": true, "toolbox/callId": first});
    assert_eq!((notes, client.deleted()), (vec![Value::Null, told.clone(), told], 1));
}
