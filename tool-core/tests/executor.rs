//! The executor: what ends a call, and what never escapes it.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_core::{
    Behavior, BoxFuture, Call, Caller, DynTool, ErrorKind, Executor, Invocation, Layer, Next, Registry,
    ToolContext, ToolError, ToolOutput, ToolResult,
};
use tool_trials::patience;

fn executor(tool: DynTool) -> Executor {
    Executor::standard(Registry::builder().add_dyn(tool).build().unwrap()).build().unwrap()
}

fn sync_tool(body: impl Fn(Value, ToolContext) -> ToolResult + Send + Sync + 'static) -> Executor {
    executor(
        DynTool::builder("work")
            .description("Works.")
            .behavior(Behavior::READ)
            .handler_sync(body)
            .build()
            .unwrap(),
    )
}

fn timed(body: impl Fn(Value, ToolContext) -> ToolResult + Send + Sync + 'static) -> Executor {
    let tool = DynTool::builder("work").description("Works.").timeout(Duration::from_millis(50));
    executor(tool.behavior(Behavior::READ).handler_sync(body).build().unwrap())
}

fn call(executor: &Executor) -> ToolResult {
    executor.call_blocking(Call::new("work", json!({})), &ToolContext::empty(), Caller::Test)
}

#[test]
fn a_panic_becomes_internal_and_tells_callers_nothing_of_its_text() {
    let error = call(&sync_tool(|_, _| panic!("secret detail"))).unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::Internal, "panic"));
    assert!(!error.to_json().to_string().contains("secret detail"));
    assert!(call(&sync_tool(|_, _| Ok(ToolOutput::text("fine")))).is_ok());
}

#[test]
fn a_plain_function_that_never_returns_times_out_without_a_runtime() {
    let (end, never) = std::sync::mpsc::channel::<()>();
    let never = std::sync::Mutex::new(never);
    let started = Instant::now();
    let error = call(&timed(move |_, ctx| {
        while !ctx.is_cancelled() {
            std::thread::yield_now();
        }
        let _ = never.lock().unwrap().recv_timeout(2 * patience());
        Ok(ToolOutput::default())
    }))
    .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.is_retryable(), "a read may be tried again");
    assert!(started.elapsed() < patience(), "the caller waited for the abandoned thread");
    drop(end);
    assert!(call(&timed(|_, _| Ok(ToolOutput::text("quick")))).is_ok());
}

/// A layer that only stands in the way of the short path.
struct Through;

impl Layer for Through {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        next.run(inv)
    }
}

/// A tool that stays until it may go, whoever has left.
fn stuck(gate: &Arc<AtomicBool>) -> DynTool {
    let gate = Arc::clone(gate);
    let tool = DynTool::builder("work").description("Works.").timeout(Duration::from_millis(1));
    let body = move |_, _| {
        while !gate.load(Ordering::Relaxed) {
            std::thread::park_timeout(Duration::from_millis(1));
        }
        Ok(ToolOutput::default())
    };
    tool.behavior(Behavior::READ).handler_sync(body).build().unwrap()
}

#[test]
fn functions_left_behind_are_counted_until_they_end_with_and_without_layers() {
    for layered in [false, true] {
        let gate = Arc::new(AtomicBool::new(false));
        let builder = Executor::standard(Registry::builder().add_dyn(stuck(&gate)).build().unwrap());
        let builder = if layered { builder.before("run", Through) } else { builder };
        let executor = builder.build().unwrap();
        std::thread::scope(|scope| {
            let calls: Vec<_> = (0..16).map(|_| scope.spawn(|| call(&executor))).collect();
            for waiting in calls {
                assert_eq!(waiting.join().unwrap().unwrap_err().kind(), ErrorKind::Timeout);
            }
        });
        let refused = call(&executor).unwrap_err();
        assert_eq!((refused.kind(), refused.code_str()), (ErrorKind::Unavailable, "blocking_pool_exhausted"));

        gate.store(true, Ordering::Relaxed);
        let deadline = Instant::now() + tool_trials::patience();
        while let Err(error) = call(&executor) {
            assert!(Instant::now() < deadline, "layered {layered}: {error}");
        }
    }
}

#[tokio::test]
async fn a_plain_function_whose_caller_is_gone_is_told_to_stop() {
    let (told, hears) = std::sync::mpsc::channel();
    let executor = sync_tool(move |_, ctx| {
        told.send("begun").unwrap();
        while !ctx.is_cancelled() {
            std::thread::yield_now();
        }
        told.send("told").unwrap();
        Ok(ToolOutput::default())
    });
    let ctx = ToolContext::empty();
    let mut waiting = Box::pin(executor.call(Call::new("work", Value::Null), &ctx, Caller::Test));
    assert!(std::future::poll_fn(|cx| std::task::Poll::Ready(waiting.as_mut().poll(cx).is_pending())).await);
    assert_eq!(hears.recv_timeout(patience()).unwrap(), "begun");
    drop(waiting);
    assert_eq!(hears.recv_timeout(patience()).unwrap(), "told");
}

#[test]
fn what_a_tool_returns_in_its_grace_is_kept_as_partial() {
    let error = call(&timed(|_, ctx| {
        while !ctx.is_cancelled() {
            std::thread::yield_now();
        }
        Ok(ToolOutput::structured(json!({"lines": 3})))
    }))
    .unwrap_err();
    assert_eq!(error.details()["partial"], json!({"lines": 3}));
}

#[test]
fn an_async_tool_that_never_ends_times_out_and_a_quick_one_answers() {
    let slow = DynTool::builder("work").description("Works.").timeout(Duration::from_millis(50));
    let slow = slow.handler(|_, _| std::future::pending::<ToolResult>()).build().unwrap();
    let error = call(&executor(slow)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(!error.is_retryable(), "effects that nobody stated may not be repeated");
    let quick = DynTool::builder("work").description("Works.");
    let quick = quick.handler(|args, _| async move { Ok(ToolOutput::structured(args)) }).build().unwrap();
    assert_eq!(call(&executor(quick)).unwrap().structured.as_deref(), Some(&json!({})));
}

#[tokio::test]
async fn cancelling_the_host_ends_a_waiting_call() {
    let tool = DynTool::builder("work").description("Works.");
    let executor = executor(tool.handler(|_, _| std::future::pending::<ToolResult>()).build().unwrap());
    let ctx = ToolContext::empty();
    let waiting = executor.call(Call::new("work", Value::Null), &ctx, Caller::Test);
    let (result, ()) = tokio::join!(waiting, async { ctx.cancel() });
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Cancelled);
}

#[tokio::test]
async fn a_success_after_cancellation_is_a_success() {
    let tool = DynTool::builder("work").description("Works.");
    let tool = tool.handler(|_, ctx: ToolContext| async move {
        ctx.cancelled().await;
        Ok(ToolOutput::text("saved"))
    });
    let executor = executor(tool.build().unwrap());
    let ctx = ToolContext::empty();
    let waiting = executor.call(Call::new("work", Value::Null), &ctx, Caller::Test);
    let (result, ()) = tokio::join!(waiting, async { ctx.cancel() });
    assert_eq!(result.unwrap(), ToolOutput::text("saved"));
}

#[test]
fn a_call_of_a_cancelled_host_runs_nothing() {
    let ctx = ToolContext::empty();
    ctx.cancel();
    let executor = sync_tool(|_, _| panic!("ran"));
    let error = executor.call_blocking(Call::new("work", json!({})), &ctx, Caller::Test).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[test]
fn a_call_whose_time_is_over_before_it_begins_runs_nothing() {
    let (passed, ahead) = (Instant::now(), Instant::now() + Duration::from_secs(60));
    for (deadline, runs) in [(passed, false), (ahead, true)] {
        let ran = Arc::new(AtomicBool::new(false));
        let (plain, inner) = (Arc::clone(&ran), Arc::clone(&ran));
        let waiting = executor(
            DynTool::builder("work")
                .description("Works.")
                .handler(move |_, _| {
                    let inner = Arc::clone(&inner);
                    async move {
                        inner.store(true, Ordering::SeqCst);
                        Ok(ToolOutput::text("done"))
                    }
                })
                .build()
                .unwrap(),
        );
        let plain = sync_tool(move |_, _| {
            plain.store(true, Ordering::SeqCst);
            Ok(ToolOutput::text("done"))
        });
        let ctx = ToolContext::builder().deadline(deadline).build();
        for executor in [waiting, plain] {
            ran.store(false, Ordering::SeqCst);
            let result = executor.call_blocking(Call::new("work", json!({})), &ctx, Caller::Test);
            let kind = result.err().map(|error| error.kind());
            assert_eq!((kind, ran.load(Ordering::SeqCst)), ((!runs).then_some(ErrorKind::Timeout), runs));
        }
    }
}

#[tokio::test]
async fn blocking_calls_work_inside_a_runtime_too() {
    let tool = DynTool::builder("work").description("Works.");
    let tool = tool.handler(|_, _| async { Ok(ToolOutput::text("fine")) }).build().unwrap();
    assert_eq!(call(&executor(tool)).unwrap(), ToolOutput::text("fine"));
}

/// Counts the calls of a tool and repeats failures once.
struct Again;

impl Layer for Again {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let second = next.again();
            let repeat = Invocation {
                tool: inv.tool,
                args: inv.args.clone(),
                ctx: inv.ctx,
                caller: inv.caller,
                ext: Default::default(),
            };
            match next.run(inv).await {
                Err(_) => second.run(repeat).await,
                done => done,
            }
        })
    }
}

#[test]
fn a_layer_sees_the_normal_form_and_may_run_the_rest_again() {
    let tries = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = tries.clone();
    let tool = DynTool::builder("work").description("Works.").handler_sync(move |args, _| {
        match counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => Err(ToolError::failed("first")),
            _ => Ok(ToolOutput::structured(args)),
        }
    });
    let registry = Registry::builder().add_dyn(tool.build().unwrap()).build().unwrap();
    let executor = Executor::standard(registry).before("run", Again).build().unwrap();
    assert_eq!(executor.layers(), ["decode", "own", "run"]);
    assert_eq!(call(&executor).unwrap().structured.as_deref(), Some(&json!({})));
    assert_eq!(tries.load(std::sync::atomic::Ordering::SeqCst), 2);
}

#[test]
fn a_layer_beside_an_unknown_step_is_refused() {
    let registry =
        Registry::builder().add_dyn(DynTool::builder("work").description("Works.").build().unwrap());
    let error = Executor::standard(registry.build().unwrap()).before("limmit", Again).build().unwrap_err();
    assert_eq!(error.code_str(), "unknown_layer");
}

#[test]
fn an_unknown_tool_is_not_found_with_the_nearest_name() {
    let executor = sync_tool(|_, _| Ok(ToolOutput::default()));
    let call = Call::new("wokr", Value::Null);
    let error = executor.call_blocking(call, &ToolContext::empty(), Caller::Test).unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::NotFound, "unknown_tool"));
    assert_eq!(error.hint_str(), Some("did you mean: work?"));
}

#[tokio::test]
async fn the_text_of_arguments_is_taken_with_and_without_a_runtime() {
    let executor = sync_tool(|args, _| Ok(ToolOutput::text(args.to_string())));
    let ctx = ToolContext::empty();
    for (text, expected) in
        [("{}", Ok(json!("{}"))), ("", Ok(json!("{}"))), ("[", Err(ErrorKind::InvalidArgs))]
    {
        let value = |result: ToolResult| result.map(|output| output.data()).map_err(|error| error.kind());
        let (name, caller) = ("work", Caller::Test);
        assert_eq!(value(executor.call_text(name, text, &ctx, caller).await), expected, "{text}");
        assert_eq!(value(executor.call_text_blocking(name, text, &ctx, caller)), expected, "{text}");
    }
}
