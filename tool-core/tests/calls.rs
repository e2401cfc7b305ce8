//! The whole chain: every kind of ending, its audit row, what is shaped, checked, retried, nested and batched.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests may fail the test"
)]

mod policy_of_one;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::redact::KnownSecrets;
use tool_core::{
    ApprovalLevel, ApprovalRequest, Approver, AuditRow, AuditSettings, AuditSink, Behavior, BoxFuture, Call,
    Caller, CheckMode, Content, Decision, DynTool, ErrorKind, Executor, Invocation, JsonLines, Layer, Next,
    ReadResultTool, Registry, ShapeSettings, Snapshot,
};

/// The canary that must turn up nowhere.
const CANARY: &str = "sk-CANARY-4711-xyz";

/// Ends as it is told to.
#[tool(register = false, timeout = "200ms")]
async fn end(
    /// The kind of its error, or `ok`, `panic`, `hang`.
    how: &str,
) -> Result<String, ToolError> {
    match how {
        "ok" => Ok("fine".to_owned()),
        "panic" => panic!("{CANARY}"),
        "hang" => std::future::pending().await,
        how => {
            let kind = ErrorKind::all().find(|kind| kind.as_str() == how).unwrap();
            Err(ToolError::new(kind, format!("because of {CANARY}")))
        }
    }
}

/// Prints what it is given, in ways that a program might.
#[tool(register = false)]
fn leak(
    /// A password.
    #[arg(secret)]
    password: &str,
) -> ToolResult {
    let hex: String = password.bytes().map(|byte| format!("{byte:02x}")).collect();
    let (head, tail) = password.split_at(7);
    Ok(ToolOutput::structured(json!({"raw": password, "key": {password: 1}, "hex": hex}))
        .with_content(Content::text(format!("raw {password}")))
        .with_content(Content::text(format!("split {head}")))
        .with_content(Content::text(format!("{tail} hex {hex}"))))
}

/// Counts its calls.
#[derive(Clone, Default)]
struct Calls(Arc<AtomicUsize>);

/// Is unavailable at first.
#[tool(register = false)]
async fn flaky(
    /// How often.
    failures: usize,
    #[ctx] calls: &Calls,
) -> Result<u64, ToolError> {
    let before = calls.0.fetch_add(1, Ordering::SeqCst);
    if before < failures { Err(ToolError::unavailable("Not yet.")) } else { Ok(before as u64) }
}

/// Is unavailable and may have changed something.
#[tool(side_effect, idempotent = false, register = false)]
async fn risky(#[ctx] calls: &Calls) -> Result<(), ToolError> {
    calls.0.fetch_add(1, Ordering::SeqCst);
    Err(ToolError::unavailable("Who knows."))
}

/// Gives long results.
#[tool(register = false)]
fn rows(
    /// How many.
    count: u64,
) -> ToolResult {
    let rows: Vec<Value> =
        (0..count).map(|id| json!({"id": id, "name": format!("näme 😀 {id}"), "tags": ["a", "b"]})).collect();
    Ok(ToolOutput::text(serde_json::to_string(&rows).unwrap()))
}

/// Calls another tool.
#[tool(side_effect, idempotent, register = false)]
async fn relay(
    /// Which.
    tool: &str,
    /// With what.
    #[arg(any)]
    args: Value,
    ctx: &ToolContext,
) -> ToolResult {
    ctx.call(tool, args).await
}

/// Only reads, through another tool.
#[tool(register = false)]
async fn look_through(
    /// Which.
    tool: &str,
    ctx: &ToolContext,
) -> ToolResult {
    ctx.call(tool, json!({})).await
}

/// Ends the run.
#[tool(terminal, side_effect, idempotent, register = false)]
async fn finish(
    /// How it went.
    outcome: &str,
    #[ctx] calls: &Calls,
) -> Result<Value, ToolError> {
    calls.0.fetch_add(1, Ordering::SeqCst);
    match outcome {
        "bad" => Err(ToolError::failed("It did not go well.")),
        outcome => Ok(json!({"outcome": outcome, "reason": "done", "data": [1]})),
    }
}

fn registry() -> Registry {
    let wrong = DynTool::builder("wrong").description("Lies.").behavior(Behavior::READ);
    let wrong = wrong.handler_sync(|_, _| Ok(ToolOutput::structured(json!(5)))).build().unwrap();
    Registry::builder()
        .add::<EndTool>()
        .add::<LeakTool>()
        .add::<FlakyTool>()
        .add::<RiskyTool>()
        .add::<RowsTool>()
        .add::<RelayTool>()
        .add::<LookThroughTool>()
        .add::<FinishTool>()
        .add::<ReadResultTool>()
        .add_dyn(wrong)
        .build()
        .unwrap()
}

/// Rows in memory.
#[derive(Clone, Default)]
struct Rows(Arc<Mutex<Vec<AuditRow>>>);

impl AuditSink for Rows {
    fn write(&self, row: &AuditRow) -> Result<(), ToolError> {
        self.0.lock().unwrap().push(row.clone());
        Ok(())
    }
}

impl Rows {
    fn take(&self) -> Vec<AuditRow> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

fn secrets() -> Arc<KnownSecrets> {
    Arc::new(KnownSecrets::new([("API_KEY", CANARY)]))
}

fn audited(rows: &Rows) -> AuditSettings {
    AuditSettings { sinks: vec![Box::new(rows.clone())], secrets: secrets(), required: false }
}

fn ctx() -> ToolContext {
    ToolContext::builder().agent("bot").provide(Calls::default()).build()
}

async fn call(executor: &Executor, tool: &str, args: Value) -> ToolResult {
    executor.call(Call::new(tool, args), &ctx(), Caller::Llm).await
}

#[tokio::test(start_paused = true)]
async fn each_kind_of_ending_has_one_audit_row_that_says_it() {
    let rows = Rows::default();
    let shape = ShapeSettings { secrets: secrets(), ..ShapeSettings::default() };
    let executor = Executor::standard(registry()).audit(audited(&rows)).shape(shape).trace().build().unwrap();
    assert_eq!(executor.layers(), ["trace", "audit", "decode", "shape", "run"]);
    for kind in ErrorKind::all() {
        let error = call(&executor, "end", json!({"how": kind.as_str()})).await.unwrap_err();
        assert_eq!(error.kind(), kind);
        let told = rows.take();
        assert_eq!(told.len(), 1, "{kind:?}");
        assert_eq!((told[0].outcome, told[0].code.as_deref()), (kind.as_str(), Some(kind.as_str())));
        assert_eq!((told[0].tool.as_str(), told[0].agent.as_str()), ("end", "bot"));
        assert!(!error.to_json().to_string().contains(CANARY), "{error}");
    }
    for (how, outcome, code) in
        [("ok", "ok", None), ("panic", "internal", Some("panic")), ("hang", "timeout", Some("timeout"))]
    {
        let _ = call(&executor, "end", json!({"how": how})).await;
        let told = rows.take();
        assert_eq!((told.len(), told[0].outcome, told[0].code.as_deref()), (1, outcome, code));
    }
    let _ = call(&executor, "end", json!({"hw": 1})).await;
    let _ = call(&executor, "nothing", json!({"password": CANARY, "n": 1})).await;
    let told = rows.take();
    assert_eq!((told[0].outcome, told[1].outcome), ("invalid_args", "not_found"));
    assert_eq!(told[1].args, json!({"password": {"$redacted": "secret"}, "n": 1}));

    // A call whose caller goes away at its first wait.
    let mut left = Box::pin(call(&executor, "end", json!({"how": "hang"})));
    assert!(std::future::poll_fn(|cx| std::task::Poll::Ready(left.as_mut().poll(cx).is_pending())).await);
    drop(left);
    let told = rows.take();
    assert_eq!((told.len(), told[0].outcome), (1, "cancelled"));
}

#[tokio::test]
async fn a_known_secret_is_in_no_result_and_no_audit_row() {
    let file = tempfile::tempdir().unwrap();
    let path = file.path().join("audit.jsonl");
    let settings =
        AuditSettings { sinks: vec![Box::new(JsonLines::new(&path))], secrets: secrets(), required: true };
    let shape = ShapeSettings { secrets: secrets(), ..ShapeSettings::default() };
    let executor = Executor::standard(registry()).audit(settings).shape(shape).build().unwrap();
    let output = call(&executor, "leak", json!({"password": CANARY})).await.unwrap();
    let all = format!("{:?}", (&output.content, &output.structured, &output.meta));
    for hidden in [CANARY, "736b2d43414e", "CANARY"] {
        assert!(!all.contains(hidden), "{hidden} in {all}");
    }
    assert_eq!(output.content[0], Content::text("raw [secret:API_KEY]"));
    assert_eq!(output.content[1], Content::text("split [secret:API_KEY]"));
    assert_eq!(output.content[2], Content::text(" hex [secret:API_KEY]"));
    let _ = call(&executor, "end", json!({"how": "failed"})).await;
    let _ = call(&executor, "end", json!({"how": CANARY})).await;
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written.lines().count(), 3);
    assert!(!written.contains("CANARY"), "{written}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn audit_files_are_put_aside_when_they_are_full_and_ten_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let sink = JsonLines::new(&path).rotate_at(10);
    for number in 0..14u64 {
        sink.write(&AuditRow { at_ms: number, ..AuditRow::default() }).unwrap();
    }
    let at = |path: &std::path::Path| {
        let text = std::fs::read_to_string(path).unwrap();
        serde_json::from_str::<Value>(text.trim()).unwrap()["at_ms"].clone()
    };
    assert_eq!(at(&path), 13);
    assert_eq!(at(&folder.path().join("audit.jsonl.1")), 12);
    assert_eq!(at(&folder.path().join("audit.jsonl.10")), 3);
    assert!(!folder.path().join("audit.jsonl.11").exists());
}

/// A sink that works only when it is let.
struct Broken(Arc<AtomicUsize>);

impl AuditSink for Broken {
    fn write(&self, _: &AuditRow) -> Result<(), ToolError> {
        match self.0.load(Ordering::SeqCst) {
            0 => Err(ToolError::unavailable("The disk is full.")),
            _ => Ok(()),
        }
    }
}

#[tokio::test]
async fn a_failing_sink_changes_no_result_and_refuses_side_effects_only_where_audit_is_required() {
    let works = Arc::new(AtomicUsize::new(0));
    let settings = |required| AuditSettings {
        sinks: vec![Box::new(Broken(works.clone()))],
        secrets: secrets(),
        required,
    };
    let lax = Executor::standard(registry()).audit(settings(false)).build().unwrap();
    for _ in 0..2 {
        assert_eq!(call(&lax, "risky", json!({})).await.unwrap_err().code_str(), "unavailable");
    }
    let strict = Executor::standard(registry()).audit(settings(true)).build().unwrap();
    assert!(call(&strict, "end", json!({"how": "ok"})).await.is_ok());
    let refused = call(&strict, "risky", json!({})).await.unwrap_err();
    assert_eq!((refused.kind(), refused.code_str()), (ErrorKind::Unavailable, "audit_unavailable"));
    assert!(call(&strict, "end", json!({"how": "ok"})).await.is_ok(), "reads go on");
    works.store(1, Ordering::SeqCst);
    let _ = call(&strict, "risky", json!({})).await;
    assert_eq!(
        call(&strict, "risky", json!({})).await.unwrap_err().code_str(),
        "unavailable",
        "it runs again"
    );
}

#[tokio::test(start_paused = true)]
async fn reads_are_tried_again_and_unsafe_changes_never() {
    let executor = Executor::standard(registry()).retries(2).build().unwrap();
    assert_eq!(executor.layers(), ["decode", "retry", "run"]);
    let calls = Calls::default();
    let ctx = ToolContext::builder().provide(calls.clone()).build();
    let call = async |tool: &str, args: Value| {
        calls.0.store(0, Ordering::SeqCst);
        let result = executor.call(Call::new(tool, args), &ctx, Caller::Llm).await;
        (result, calls.0.load(Ordering::SeqCst))
    };
    let (result, tries) = call("flaky", json!({"failures": 2})).await;
    assert_eq!((result.unwrap().meta["tries"].clone(), tries), (json!(3), 3));
    let (result, tries) = call("flaky", json!({"failures": 3})).await;
    assert_eq!((result.unwrap_err().kind(), tries), (ErrorKind::Unavailable, 3));
    let (result, tries) = call("risky", json!({})).await;
    assert_eq!((result.unwrap_err().kind(), tries), (ErrorKind::Unavailable, 1));
    let soon = ToolContext::builder().provide(calls.clone()).deadline(Instant::now()).build();
    calls.0.store(0, Ordering::SeqCst);
    let late = executor.call(Call::new("flaky", json!({"failures": 9})), &soon, Caller::Llm).await;
    assert_eq!((late.unwrap_err().kind(), calls.0.load(Ordering::SeqCst)), (ErrorKind::Unavailable, 1));
}

fn stub(output: &ToolOutput) -> (String, usize) {
    let Content::Text { text } = &output.content[0] else { panic!("{output:?}") };
    let first = text.lines().next().unwrap();
    let id = first.split(' ').nth(1).unwrap().to_owned();
    let pages = first.split(", ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    (id, pages)
}

fn text(output: &ToolOutput) -> &str {
    match &output.content[..] {
        [Content::Text { text }] => text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn long_results_are_parked_and_their_pages_give_them_back() {
    let executor = Executor::standard(registry()).shape(ShapeSettings::default()).build().unwrap();
    let whole = executor.call(Call::new("rows", json!({"count": 600})), &ctx(), Caller::Cli).await.unwrap();
    let payload = text(&whole).to_owned();
    let output = call(&executor, "rows", json!({"count": 600})).await.unwrap();
    let (id, count) = stub(&output);
    let shown = text(&output);
    let characters = payload.chars().count();
    assert!(shown.starts_with(&format!(
        "[result {id} parked: {characters} characters, {count} pages, application/json; array of 600 objects with keys id, name, tags]\n"
    )), "{shown}");
    assert!(shown.ends_with(&format!("[read more: read_result(id=\"{id}\", page=1..{count})]")), "{shown}");
    assert!(id.len() == 16 && id.starts_with("res_"), "{id}");

    let mut joined = String::new();
    for page in 1..=count {
        let output = call(&executor, "read_result", json!({"id": id, "page": page})).await.unwrap();
        let page_text = text(&output);
        assert!(page_text.chars().count() <= 10_000 && !page_text.contains(" parked: "));
        joined.push_str(page_text.split_once('\n').unwrap().1);
    }
    assert_eq!(joined, payload, "the pages joined are the payload");
    let beyond = call(&executor, "read_result", json!({"id": id, "page": count + 1})).await.unwrap_err();
    assert_eq!((beyond.kind(), beyond.arg_issues()[0].path.as_str()), (ErrorKind::InvalidArgs, "/page"));
    assert_eq!(beyond.arg_issues()[0].expected, format!("1..={count}"));

    let part = call(&executor, "read_result", json!({"id": id, "pointer": "/599/name"})).await.unwrap();
    assert!(text(&part).ends_with("\nnäme 😀 599"), "{}", text(&part));
    let found = call(&executor, "read_result", json!({"id": id, "find": "😀 599"})).await.unwrap();
    assert!(text(&found).contains("1: ") && text(&found).contains("😀 599"), "{}", text(&found));
    let both = call(&executor, "read_result", json!({"id": id, "page": 1, "find": "x"})).await.unwrap_err();
    assert_eq!(both.kind(), ErrorKind::InvalidArgs);

    let stranger = ToolContext::builder().agent("other").build();
    let read = Call::new("read_result", json!({"id": id, "page": 1}));
    assert_eq!(executor.call(read, &stranger, Caller::Llm).await.unwrap_err().kind(), ErrorKind::NotFound);
    let short = call(&executor, "rows", json!({"count": 3})).await.unwrap();
    assert!(text(&short).starts_with("[{"));

    let without = Registry::builder().add::<RowsTool>().build().unwrap();
    let refused = Executor::standard(without).shape(ShapeSettings::default()).build().unwrap_err();
    assert_eq!(refused.code_str(), "read_result_missing");
}

#[tokio::test]
async fn lines_are_read_by_number_and_long_errors_and_results_are_cut() {
    let tool =
        DynTool::builder("lines").description("Prints.").behavior(Behavior::READ).handler_sync(|_, _| {
            Ok(ToolOutput::text((1..=3_000).map(|line| format!("line {line}\r\n")).collect::<String>()))
        });
    let long = DynTool::builder("long").description("Fails.").behavior(Behavior::READ);
    let long = long.handler_sync(|_, _| Err(ToolError::failed("é".repeat(9_000))));
    let registry = Registry::builder().add_dyn(tool.build().unwrap()).add_dyn(long.build().unwrap());
    let registry = registry.add::<ReadResultTool>().build().unwrap();
    let executor = Executor::standard(registry.clone()).shape(ShapeSettings::default()).build().unwrap();
    let (id, _) = stub(&call(&executor, "lines", json!({})).await.unwrap());
    let some = call(&executor, "read_result", json!({"id": id, "lines": "10-12"})).await.unwrap();
    assert_eq!(text(&some), format!("[result {id}, lines 10-12 of 3000]\nline 10\r\nline 11\r\nline 12\r\n"));
    let many = call(&executor, "read_result", json!({"id": id, "lines": "1-3000"})).await.unwrap();
    assert!(text(&many).starts_with(&format!("[result {id}, lines 1-400 of 3000]\n")));
    assert!(call(&executor, "read_result", json!({"id": id, "lines": "5-3001"})).await.is_err());
    let error = call(&executor, "long", json!({})).await.unwrap_err();
    assert_eq!(error.message().chars().count(), 4_000);

    let small = ShapeSettings { max_output_bytes: 100, results: None, ..ShapeSettings::default() };
    let executor = Executor::standard(registry).shape(small).build().unwrap();
    let cut = call(&executor, "lines", json!({})).await.unwrap();
    assert_eq!(cut.meta["truncated"]["bytes"], 100);
    assert_eq!(cut.content.len(), 2, "the cut is named");
}

#[tokio::test]
async fn nested_calls_are_held_to_what_their_own_call_may_do() {
    let executor = Executor::standard(registry()).build().unwrap();
    let ok = call(&executor, "relay", json!({"tool": "end", "args": {"how": "ok"}})).await.unwrap();
    assert_eq!(ok.data(), json!("fine"));
    let changed = call(&executor, "look_through", json!({"tool": "risky"})).await.unwrap_err();
    assert_eq!((changed.kind(), changed.code_str()), (ErrorKind::Denied, "effect_not_declared"));

    // Each level differs from the one above, so only their number ends it.
    let mut args = json!({"tool": "end", "args": {"how": "ok"}});
    for _ in 0..6 {
        args = json!({"tool": "relay", "args": args});
    }
    assert!(call(&executor, "relay", args.clone()).await.is_ok(), "eight calls in each other");
    let deep = json!({"tool": "relay", "args": args});
    assert_eq!(call(&executor, "relay", deep).await.unwrap_err().code_str(), "call_depth");
}

#[tokio::test]
async fn a_call_that_would_wait_for_itself_is_refused_and_so_is_the_257th() {
    let again = DynTool::builder("again").description("Calls itself.").behavior(Behavior::READ);
    let again = again.handler(|args, ctx: ToolContext| async move { ctx.call("again", args).await });
    let many = DynTool::builder("many").description("Calls a lot.").behavior(Behavior::READ);
    let many = many.handler(|_, ctx: ToolContext| async move {
        for _ in 0..256 {
            ctx.call("end", json!({"how": "ok"})).await?;
        }
        let refused = ctx.call("end", json!({"how": "ok"})).await.unwrap_err();
        Ok(ToolOutput::text(refused.code_str().to_owned()))
    });
    let registry = Registry::builder().add_dyn(again.build().unwrap()).add_dyn(many.build().unwrap());
    let executor = Executor::standard(registry.add::<EndTool>().build().unwrap()).build().unwrap();
    assert_eq!(call(&executor, "again", json!({})).await.unwrap_err().code_str(), "call_cycle");
    assert_eq!(call(&executor, "many", json!({})).await.unwrap().data(), json!("call_budget"));
}

#[tokio::test]
async fn the_first_terminal_success_of_a_turn_ends_the_run() {
    let executor = Executor::standard(registry()).build().unwrap();
    let calls = Calls::default();
    let ctx = ToolContext::builder().provide(calls.clone()).build();
    let turn = ["bad", "won", "lost"].map(|outcome| Call::new("finish", json!({"outcome": outcome})));
    let turn = [
        vec![Call::new("end", json!({"how": "ok"}))],
        turn.to_vec(),
        vec![Call::new("end", json!({"how": "ok"}))],
    ];
    let batch = executor.call_all(turn.concat(), &ctx, Caller::Llm).await;
    let codes: Vec<String> = batch
        .results
        .iter()
        .map(|result| result.as_ref().err().map_or("ok", |error| error.code_str()).to_owned())
        .collect();
    assert_eq!(codes, ["ok", "failed", "ok", "already_finished", "ok"]);
    let finish = batch.finish.unwrap();
    assert_eq!(
        (finish.outcome.as_str(), finish.reason.as_deref(), finish.data),
        ("won", Some("done"), json!([1]))
    );
    assert_eq!(calls.0.load(Ordering::SeqCst), 2, "the third did not run");
}

/// A layer that panics.
struct Panics;

impl Layer for Panics {
    fn call<'a>(&'a self, _: Invocation<'a>, _: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async { panic!("a layer panics") })
    }
}

#[tokio::test]
async fn a_panicking_layer_is_an_internal_error_and_nothing_runs() {
    let executor = Executor::standard(registry()).before("run", Panics).build().unwrap();
    let calls = Calls::default();
    let ctx = ToolContext::builder().provide(calls.clone()).build();
    let error = executor.call(Call::new("risky", json!({})), &ctx, Caller::Llm).await.unwrap_err();
    assert_eq!((error.code_str(), calls.0.load(Ordering::SeqCst)), ("panic", 0));
}

/// Counts.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Count {
    /// How many.
    count: u64,
}

/// Says it counts and lies.
#[tool(register = false, output = Count)]
fn lie() -> ToolResult {
    Ok(ToolOutput::structured(json!({"count": "many"})))
}

/// Counts.
#[tool(register = false)]
fn count() -> Result<tool_core::prelude::ToolOutput, ToolError> {
    Ok(ToolOutput::structured(json!({"count": 5})))
}

#[tokio::test]
async fn a_result_that_does_not_fit_is_an_error_or_noted() {
    let registry = Registry::builder().add::<LieTool>().add::<CountTool>().build().unwrap();
    let strict = Executor::standard(registry.clone()).check(CheckMode::Error).build().unwrap();
    assert_eq!(strict.layers(), ["decode", "check", "run"]);
    let error = call(&strict, "lie", json!({})).await.unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::Internal, "output_schema"));
    assert!(call(&strict, "count", json!({})).await.is_ok());
    let lax = Executor::standard(registry).check(CheckMode::Warn).build().unwrap();
    assert_eq!(call(&lax, "lie", json!({})).await.unwrap().meta["output_invalid"], true);
    let client = lax.call(Call::new("lie", json!({})), &ctx(), Caller::Mcp).await;
    assert_eq!(client.unwrap_err().code_str(), "output_schema", "clients validate");
}

/// Answers what it is told to, and remembers nothing.
struct Says(Decision);

impl Approver for Says {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(std::future::ready(self.0.clone()))
    }

    fn name(&self) -> &str {
        "flag"
    }
}

#[tokio::test]
async fn a_parked_question_is_decided_later_and_the_same_call_then_passes() {
    use tool_core::{ApprovalId, ApprovalState, Approvals, MemoryApprovals};
    let approvals = Arc::new(MemoryApprovals::default());
    let rows = Rows::default();
    let executor = Executor::standard(registry())
        .approve(ApprovalLevel::SideEffect)
        .approvals(approvals.clone(), [7; 32])
        .audit(audited(&rows))
        .build()
        .unwrap();
    let calls = Calls::default();
    let id = ApprovalId("ap_1".to_owned());
    let ctx = |decision| ToolContext::builder().provide(calls.clone()).approver(Says(decision)).build();
    let parked = ctx(Decision::Pending(id.clone()));
    let call = async |ctx: &ToolContext| {
        executor.call(Call::new("risky", json!({})), ctx, Caller::Llm).await.unwrap_err()
    };
    let error = call(&parked).await;
    assert_eq!((error.code_str(), &error.details()["approval_id"]), ("approval_pending", &json!("ap_1")));
    assert_eq!(call(&parked).await.code_str(), "approval_pending");
    assert!(approvals.decide(&id, ApprovalState::Once).unwrap());
    rows.take();
    assert_eq!(call(&parked).await.code_str(), "unavailable", "it ran");
    assert_eq!(rows.take()[0].decision["approval_id"], "ap_1");
    assert_eq!(call(&parked).await.code_str(), "approval_pending", "once is once");
    assert!(approvals.decide(&id, ApprovalState::Denied { reason: Some("no".to_owned()) }).unwrap());
    assert_eq!(call(&parked).await.code_str(), "approval_denied");
    assert_eq!(calls.0.load(Ordering::SeqCst), 1);

    let always = ctx(Decision::AllowAlways);
    assert_eq!(call(&always).await.code_str(), "unavailable");
    assert_eq!(rows.take().last().unwrap().decision["approved_by"], "flag");
    let known = approvals.list().unwrap();
    assert!(approvals.revoke(&known[0].id).unwrap());
    assert_eq!(call(&ctx(Decision::Deny { reason: None })).await.code_str(), "approval_denied");
}

#[test]
fn consent_is_bound_to_tenant_agent_tool_definition_and_every_argument() {
    use tool_core::approval_hash;
    let registry = registry();
    let hash = |tenant: &str, agent: &str, tool: &str, args: Value| {
        approval_hash(tenant, agent, registry.get(tool).unwrap(), &args, &[1; 32])
    };
    let base = hash("", "bot", "rows", json!({"count": 1}));
    assert_eq!(base, hash("", "bot", "rows", json!({"count": 1.0})));
    let others = [
        hash("t", "bot", "rows", json!({"count": 1})),
        hash("", "bos", "rows", json!({"count": 1})),
        hash("", "bot", "flaky", json!({"count": 1})),
        hash("", "bot", "rows", json!({"count": 2})),
    ];
    assert!(!others.contains(&base));
    let secret = |password: &str| hash("", "bot", "leak", json!({"password": password}));
    assert_ne!(secret("a"), secret("b"));
    let described = |text: &str| {
        let tool = DynTool::builder("t").description(text).handler_sync(|_, _| Ok(ToolOutput::default()));
        let registry = Registry::builder().add_dyn(tool.build().unwrap()).build().unwrap();
        approval_hash("", "bot", registry.get("t").unwrap(), &json!({}), &[1; 32])
    };
    assert_ne!(described("Deletes."), described("Deletes!"), "an edited description asks again");
    assert_eq!(described("Deletes."), described("Deletes."));
}

#[tokio::test]
async fn a_shutdown_refuses_new_calls_and_ends_running_ones() {
    let rows = Rows::default();
    let tool = DynTool::builder("wait").description("Waits.").behavior(Behavior::READ);
    let tool = tool.handler(|_, ctx: ToolContext| async move {
        ctx.cancelled().await;
        Err(ToolError::cancelled("Told to stop."))
    });
    let registry = Registry::builder().add_dyn(tool.build().unwrap()).build().unwrap();
    let executor = Executor::standard(registry).audit(audited(&rows)).build().unwrap();
    let ctx = ctx();
    let running = executor.call(Call::new("wait", json!({})), &ctx, Caller::Llm);
    let stop = async {
        tokio::task::yield_now().await;
        executor.shutdown(Duration::from_secs(5)).await
    };
    let (ended, drained) = tokio::join!(running, stop);
    assert_eq!((ended.unwrap_err().kind(), drained.running, drained.left), (ErrorKind::Cancelled, 1, 0));
    let refused = call(&executor, "wait", json!({})).await.unwrap_err();
    assert_eq!((refused.kind(), refused.code_str()), (ErrorKind::Unavailable, "shutting_down"));
    assert_eq!(rows.take().len(), 2);
}

#[tokio::test]
async fn gate_and_visibility_are_in_the_audit_row_with_the_secret_that_is_missing() {
    let rows = Rows::default();
    let registry = registry();
    let snapshot = Arc::new(Snapshot::builder("bot").build(&registry).unwrap());
    let executor = Executor::standard(registry).gate(snapshot).audit(audited(&rows)).build().unwrap();
    assert_eq!(executor.layers(), ["audit", "decode", "gate", "run"]);
    let _ = call(&executor, "rows", json!({"count": 1})).await;
    let row = &rows.take()[0];
    assert_eq!((row.layer.as_deref(), row.code.as_deref()), (Some("gate"), Some("tool_not_enabled")));
    assert_eq!(row.decision["gate"], json!({"reason": "not_enabled"}));
}

/// Waits until it may go on.
#[derive(Clone)]
struct Door(Arc<tokio::sync::Semaphore>);

/// Waits.
#[tool(register = false)]
async fn wait_for(#[ctx] door: &Door) -> Result<(), ToolError> {
    door.0.acquire().await.map(drop).map_err(|_| ToolError::failed("The door is gone."))
}

#[tokio::test]
async fn a_tool_disabled_while_it_runs_finishes_what_was_admitted_and_the_rows_tell_which() {
    let (rows, door) = (Rows::default(), Door(Arc::new(tokio::sync::Semaphore::new(0))));
    let registry = Registry::builder().add::<WaitForTool>().build().unwrap();
    let policy = |rows: &[&'static str], sha256| policy_of_one::OnePolicy {
        rows: rows.to_vec(),
        sha256,
        ..Default::default()
    };
    let executor = Executor::standard(registry)
        .policy(Arc::new(policy(&["*"], "old")))
        .audit(audited(&rows))
        .build()
        .unwrap();
    let ctx = ToolContext::builder().agent("bot").provide(door.clone()).build();
    let mut running: Vec<_> = (0..100)
        .map(|_| Box::pin(executor.call(Call::new("wait_for", json!({})), &ctx, Caller::Llm)))
        .collect();
    for call in &mut running {
        assert!(std::future::poll_fn(|cx| std::task::Poll::Ready(call.as_mut().poll(cx).is_pending())).await);
    }
    executor.reload(Arc::new(policy(&[], "new")));
    for _ in 0..10 {
        let later = executor.call(Call::new("wait_for", json!({})), &ctx, Caller::Llm).await.unwrap_err();
        assert_eq!((later.kind(), later.code_str()), (ErrorKind::Denied, "tool_not_enabled"));
    }
    door.0.add_permits(100);
    for call in running {
        call.await.unwrap();
    }
    let told = rows.take();
    let by =
        |sha256: &str| told.iter().filter(|row| row.decision["policy_sha256"] == sha256).collect::<Vec<_>>();
    let (old, new) = (by("old"), by("new"));
    assert_eq!((old.len(), new.len()), (100, 10));
    assert!(old.iter().all(|row| row.outcome == "ok") && new.iter().all(|row| row.outcome == "denied"));
}
