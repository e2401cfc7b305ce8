//! What ends a call or a run: tries, terminal tools, panics of layers, a shutdown.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{
    Behavior, BoxFuture, Call, Caller, DynTool, ErrorKind, Executor, Invocation, Layer, Next, Registry,
};

use crate::scene::{Calls, Rows, audited, call, ctx, registry};

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
    // There is no waiting past the deadline: of three tries that wait up to 200 and 400 ms the last is never made.
    let deadline = Instant::now() + Duration::from_millis(5);
    let soon = ToolContext::builder().provide(calls.clone()).deadline(deadline).build();
    calls.0.store(0, Ordering::SeqCst);
    let late = executor.call(Call::new("flaky", json!({"failures": 9})), &soon, Caller::Llm).await;
    assert!(late.is_err() && calls.0.load(Ordering::SeqCst) < 3, "{late:?}");
}

/// Takes long at first, in a call of its own.
#[tool(register = false)]
async fn slow(
    /// How often.
    times: usize,
    #[ctx] calls: &Calls,
    ctx: &ToolContext,
) -> ToolResult {
    if calls.0.load(Ordering::SeqCst) < times {
        return ctx.call("hang", json!({})).await;
    }
    assert!(!ctx.is_cancelled(), "this try is not over");
    ctx.call("flaky", json!({"failures": 0})).await
}

/// Takes as long as it may, and then as long as it likes.
#[tool(register = false)]
async fn hang(#[ctx] calls: &Calls, ctx: &ToolContext) -> Result<(), ToolError> {
    calls.0.fetch_add(1, Ordering::SeqCst);
    ctx.cancelled().await;
    Err(ToolError::cancelled("I was ended."))
}

/// Blocks at first, until it is ended.
#[tool(register = false)]
fn block_at_first(#[ctx] calls: &Calls, ctx: &ToolContext) -> Result<bool, ToolError> {
    let first = calls.0.fetch_add(1, Ordering::SeqCst) == 0;
    while first && !ctx.is_cancelled() {
        std::thread::yield_now();
    }
    Ok(first)
}

#[tokio::test]
async fn a_try_that_takes_too_long_is_ended_for_another_one() {
    let slow = || {
        let registry = Registry::builder().add::<SlowTool>().add::<HangTool>().add::<BlockAtFirstTool>();
        registry.add::<crate::scene::FlakyTool>().build().unwrap()
    };
    let limit = Duration::from_millis(50);
    let executor = Executor::standard(slow()).retries(1).try_timeout(limit).build().unwrap();
    let called = async |executor: &Executor, tool: &str, args: Value| {
        let calls = Calls::default();
        let ctx = ToolContext::builder().provide(calls.clone()).build();
        let result = executor.call(Call::new(tool, args), &ctx, Caller::Llm).await;
        assert!(!ctx.is_cancelled(), "the host goes on");
        (result, calls.0.load(Ordering::SeqCst))
    };
    let (result, _) = called(&executor, "slow", json!({"times": 1})).await;
    assert_eq!(result.unwrap().meta["tries"], json!(2));
    let (result, tries) = called(&executor, "block_at_first", json!({})).await;
    let result = result.unwrap();
    assert_eq!((result.data(), &result.meta["tries"], tries), (json!(false), &json!(2), 2));
    let (result, tries) = called(&executor, "hang", json!({})).await;
    assert_eq!((result.unwrap_err().kind(), tries), (ErrorKind::Timeout, 2));
    // Neither a try without an end nor one that the call's own end comes before is made again.
    let hasty = ToolContext::builder().provide(Calls::default()).deadline(Instant::now() + limit / 2).build();
    let error = executor.call(Call::new("hang", json!({})), &hasty, Caller::Llm).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert_eq!(hasty.capability::<Calls>().unwrap().0.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_try_is_late_where_its_time_is_over_and_not_where_the_tool_ends_it_with_another_error() {
    for (gives_up, tries, kind) in [(false, 2, ErrorKind::Timeout), (true, 1, ErrorKind::NotFound)] {
        let calls = Calls::default();
        let counted = calls.clone();
        let once = Behavior { idempotent: false, ..Behavior::READ };
        let tool = DynTool::builder("try_once").description("Tries.").behavior(once);
        let tool = tool.handler(move |_, ctx: ToolContext| {
            counted.0.fetch_add(1, Ordering::SeqCst);
            async move {
                if gives_up {
                    ctx.cancel();
                } else {
                    ctx.cancelled().await;
                }
                Err(ToolError::not_found("There is none."))
            }
        });
        let registry = Registry::builder().add_dyn(tool.build().unwrap()).build().unwrap();
        let limit = Duration::from_millis(20);
        let executor = Executor::standard(registry).retries(1).try_timeout(limit).build().unwrap();
        let error = call(&executor, "try_once", json!({})).await.unwrap_err();
        assert_eq!((calls.0.load(Ordering::SeqCst), error.kind()), (tries, kind));
    }
}

#[tokio::test]
async fn who_ends_a_call_ends_its_try() {
    let registry = Registry::builder().add::<HangTool>().build().unwrap();
    let executor =
        Executor::standard(registry).retries(2).try_timeout(Duration::from_secs(50)).build().unwrap();
    let (calls, cancel) = (Calls::default(), tokio_util::sync::CancellationToken::new());
    let ctx = ToolContext::builder().provide(calls.clone()).cancellation(cancel.clone()).build();
    let call = executor.call(Call::new("hang", json!({})), &ctx, Caller::Llm);
    let (result, ()) = tokio::join!(call, async {
        while calls.0.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    });
    assert_eq!((result.unwrap_err().kind(), calls.0.load(Ordering::SeqCst)), (ErrorKind::Cancelled, 1));
}

#[tokio::test]
async fn the_first_terminal_success_of_a_turn_ends_the_run() {
    let rows = Rows::default();
    let executor = Executor::standard(registry()).audit(audited(&rows)).build().unwrap();
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
    let refused = batch.results[3].as_ref().unwrap_err();
    assert_eq!(refused.details()["layer"], "run");
    let rows = rows.take();
    let told: Vec<Option<&str>> = rows.iter().map(|row| row.code.as_deref()).collect();
    assert_eq!(told, [None, Some("failed"), None, Some("already_finished"), None], "all are told of");
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
async fn who_finishes_refuses_new_calls_and_lets_running_ones_end_with_the_calls_that_they_make() {
    let gate = Arc::new(tokio::sync::Notify::new());
    let opened = Arc::clone(&gate);
    let outer = DynTool::builder("outer").description("Calls another.").behavior(Behavior::READ);
    let outer = outer.handler(move |_, ctx: ToolContext| {
        let gate = Arc::clone(&gate);
        async move {
            gate.notified().await;
            ctx.call("inner", json!({})).await
        }
    });
    let inner = DynTool::builder("inner").description("Answers.").behavior(Behavior::READ);
    let inner = inner.handler_sync(|_, _| Ok(ToolOutput::text("done")));
    let tools = Registry::builder().add_dyn(outer.build().unwrap()).add_dyn(inner.build().unwrap());
    let executor = Executor::standard(tools.build().unwrap()).build().unwrap();
    let ctx = ctx();
    let running = executor.call(Call::new("outer", json!({})), &ctx, Caller::Llm);
    let finish = async {
        tokio::task::yield_now().await;
        let waits = executor.finish(Duration::from_secs(60));
        let refused = async {
            tokio::task::yield_now().await;
            let refused = call(&executor, "inner", json!({})).await;
            opened.notify_one();
            refused
        };
        tokio::join!(waits, refused)
    };
    let (ended, (drained, refused)) = tokio::join!(running, finish);
    assert_eq!((ended.unwrap(), drained.running, drained.left), (ToolOutput::text("done"), 1, 0));
    assert_eq!(refused.unwrap_err().code_str(), "shutting_down");
}

/// Ends with an error of its own when it is cancelled.
#[tool(register = false)]
async fn end_badly(
    /// The kind of its error.
    kind: &str,
    ctx: &ToolContext,
) -> Result<(), ToolError> {
    ctx.cancelled().await;
    // Time enough for its call to be told that it is over.
    for _ in 0..5 {
        tokio::task::yield_now().await;
    }
    let kind = ErrorKind::all().find(|one| one.as_str() == kind).unwrap();
    Err(ToolError::new(kind, "Half of it is done.").code("half").detail("half", 1))
}

#[tokio::test]
async fn what_a_cancelled_tool_says_of_its_end_is_kept_and_another_error_only_adds_its_details() {
    let registry = Registry::builder().add::<EndBadlyTool>().build().unwrap();
    let executor = Executor::standard(registry).build().unwrap();
    for (kind, message, code) in
        [("cancelled", "Half of it is done.", "half"), ("conflict", "The call was cancelled.", "cancelled")]
    {
        let cancel = tokio_util::sync::CancellationToken::new();
        let ctx = ToolContext::builder().cancellation(cancel.clone()).build();
        let call = executor.call(Call::new("end_badly", json!({"kind": kind})), &ctx, Caller::Llm);
        let (result, ()) = tokio::join!(call, async {
            tokio::task::yield_now().await;
            cancel.cancel();
        });
        let error = result.unwrap_err();
        assert_eq!((error.kind(), error.message(), error.code_str()), (ErrorKind::Cancelled, message, code));
        assert_eq!(error.details()["half"], 1, "{kind}");
    }
}

/// Works for a second, whatever happens.
#[tool(register = false)]
async fn work_on() {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn who_ends_a_program_waits_as_long_as_calls_run_and_no_longer_than_it_wants_to() {
    for (grace, left, took) in [(Duration::from_secs(60), 0, 1_000), (Duration::from_millis(300), 1, 300)] {
        let registry = Registry::builder().add::<WorkOnTool>().build().unwrap();
        let executor = Executor::standard(registry).build().unwrap();
        let ctx = ToolContext::empty();
        let began = tokio::time::Instant::now();
        let call = executor.call(Call::new("work_on", json!({})), &ctx, Caller::Llm);
        let finish = async {
            tokio::task::yield_now().await;
            let drained = executor.finish(grace).await;
            (drained, began.elapsed().as_millis())
        };
        let (result, (drained, elapsed)) = tokio::join!(call, finish);
        assert_eq!((result.is_ok(), drained.running, drained.left), (true, 1, left));
        assert!((took..took + 100).contains(&elapsed), "{elapsed} ms of {took}");
    }
}

#[tokio::test]
async fn a_call_that_a_shutdown_ends_makes_no_other_call() {
    let outer = DynTool::builder("outer").description("Calls another at its end.").behavior(Behavior::READ);
    let outer = outer.handler(|_, ctx: ToolContext| async move {
        ctx.cancelled().await;
        let other = ctx.call("inner", json!({})).await.unwrap_err();
        Err(ToolError::cancelled(other.code_str().to_owned()))
    });
    let inner = DynTool::builder("inner").description("Answers.").behavior(Behavior::READ);
    let inner = inner.handler_sync(|_, _| Ok(ToolOutput::text("done")));
    let tools = Registry::builder().add_dyn(outer.build().unwrap()).add_dyn(inner.build().unwrap());
    let executor = Executor::standard(tools.build().unwrap()).build().unwrap();
    let ctx = ctx();
    let stop = async {
        tokio::task::yield_now().await;
        executor.shutdown(Duration::from_secs(5)).await
    };
    let (ended, drained) =
        tokio::join!(executor.call(Call::new("outer", json!({})), &ctx, Caller::Llm), stop);
    assert_eq!((ended.unwrap_err().message(), drained.left), ("shutting_down", 0));
}

/// Holds a thread until it is let go.
#[tool(register = false)]
fn hold(#[ctx] gate: &Held) {
    let Held(count, open) = gate;
    count.fetch_add(1, Ordering::SeqCst);
    drop(open.read().unwrap());
    count.fetch_sub(1, Ordering::SeqCst);
}

/// How many hold a thread, and what they wait for.
#[derive(Clone, Default)]
struct Held(std::sync::Arc<std::sync::atomic::AtomicUsize>, std::sync::Arc<std::sync::RwLock<()>>);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(
    clippy::await_holding_lock,
    reason = "the gate is held shut; only threads that may block wait for it"
)]
async fn no_more_plain_functions_block_threads_than_there_may_be() {
    let executor =
        Executor::standard(Registry::builder().add::<HoldTool>().build().unwrap()).build().unwrap();
    let gate = Held::default();
    let ctx = ToolContext::builder().provide(gate.clone()).build();
    let closed = gate.1.write().unwrap();
    let calls: Vec<_> = (0..40)
        .map(|_| {
            let (executor, ctx) = (executor.clone(), ctx.clone());
            tokio::spawn(async move { executor.call(Call::new("hold", json!({})), &ctx, Caller::Test).await })
        })
        .collect();
    let deadline = Instant::now() + tool_trials::patience();
    while gate.0.load(Ordering::SeqCst) < tool_core::BLOCKING_MAX {
        assert!(Instant::now() < deadline, "{} run", gate.0.load(Ordering::SeqCst));
        tokio::task::yield_now().await;
    }
    // A caller without a runtime takes its thread from the same number.
    let waiting = {
        let (executor, ctx) = (executor.clone(), ctx.clone());
        let timeout = Instant::now() + Duration::from_secs(30);
        std::thread::spawn(move || {
            let ctx = ctx.to_builder().deadline(timeout).build();
            executor.call_blocking(Call::new("hold", json!({})), &ctx, Caller::Test)
        })
    };
    for _ in 0..200 {
        tokio::task::yield_now().await;
        assert_eq!(gate.0.load(Ordering::SeqCst), tool_core::BLOCKING_MAX);
    }
    assert!(!waiting.is_finished());
    drop(closed);
    for call in calls {
        call.await.unwrap().unwrap();
    }
    tokio::task::spawn_blocking(move || waiting.join().unwrap().unwrap()).await.unwrap();
}
