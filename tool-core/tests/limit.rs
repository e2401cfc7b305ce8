//! Limits: how often, how many at once, and in which order. (calls.md §6)

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests may fail the test"
)]

mod policy_of_one;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use policy_of_one::OnePolicy;
use serde_json::json;
use tool_core::metrics::Metric;
use tool_core::prelude::*;
use tool_core::test::FakeClock;
use tool_core::{
    AuditRow, AuditSettings, AuditSink, Call, Caller, ErrorKind, Executor, LimitSettings, Limits, Metrics,
    Rate, Registry,
};

/// Answers at once.
#[tool(register = false)]
async fn ping() -> u64 {
    1
}

/// What happened, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

/// Writes.
#[tool(side_effect, idempotent, register = false)]
async fn write(
    /// What.
    name: &str,
    #[ctx] log: &Log,
) {
    log.0.lock().unwrap().push(format!("+{name}"));
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    log.0.lock().unwrap().push(format!("-{name}"));
}

/// How many reads run, and how many ran at most.
#[derive(Clone, Default)]
struct Overlap(Arc<[AtomicUsize; 2]>);

/// Reads together with others: returns when as many run as are expected.
#[tool(register = false)]
async fn read(
    /// With how many.
    together: u64,
    #[ctx] overlap: &Overlap,
) {
    let now = overlap.0[0].fetch_add(1, Ordering::SeqCst) + 1;
    overlap.0[1].fetch_max(now, Ordering::SeqCst);
    while overlap.0[1].load(Ordering::SeqCst) < usize::try_from(together).unwrap() {
        tokio::task::yield_now().await;
    }
    overlap.0[0].fetch_sub(1, Ordering::SeqCst);
}

/// Writes through another tool.
#[tool(side_effect, idempotent, register = false)]
async fn pipe(
    /// What.
    name: &str,
    ctx: &ToolContext,
) -> ToolResult {
    ctx.call("write", json!({"name": name})).await
}

/// Does what it is told to.
#[tool(side_effect, idempotent, register = false)]
async fn misbehave(
    /// How.
    how: &str,
) -> Result<(), ToolError> {
    match how {
        "panic" => panic!("on purpose"),
        "hang" => std::future::pending().await,
        "fail" => Err(ToolError::failed("It failed.")),
        "advise" => Err(ToolError::failed("It failed.").hint("look at the log")),
        _ => Ok(()),
    }
}

fn executor(policy: OnePolicy, settings: LimitSettings) -> Executor {
    let registry = Registry::builder()
        .add::<PingTool>()
        .add::<WriteTool>()
        .add::<ReadTool>()
        .add::<PipeTool>()
        .add::<MisbehaveTool>()
        .build()
        .unwrap();
    Executor::standard(registry).policy(Arc::new(policy)).limit(settings).build().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_rate_never_lets_more_through_than_burst_and_time_and_says_exactly_when() {
    let clock = Arc::new(FakeClock::default());
    let settings = LimitSettings { clock: clock.clone(), ..LimitSettings::default() };
    let rate = Rate::parse("100/s", None);
    let policy = OnePolicy { tool: Limits { rate, ..Limits::default() }, ..OnePolicy::default() };
    let executor = executor(policy, settings);
    let ctx = ToolContext::builder().agent("bot").build();
    let passed = Arc::new(Mutex::new(Vec::new()));
    let tasks: Vec<_> = (0..64)
        .map(|_| {
            let (executor, ctx, clock, passed) =
                (executor.clone(), ctx.clone(), clock.clone(), passed.clone());
            tokio::spawn(async move {
                for _ in 0..1_000 {
                    let result = executor.call(Call::new("ping", json!({})), &ctx, Caller::Llm).await;
                    match result {
                        Ok(_) => passed.lock().unwrap().push(tool_core::Clock::now(&*clock)),
                        Err(error) => assert_eq!(error.kind(), ErrorKind::RateLimited),
                    }
                    clock.advance(Duration::from_micros(100));
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let mut passed = passed.lock().unwrap().clone();
    passed.sort_unstable();
    for (earlier, at) in passed.iter().enumerate() {
        let allowed = 100.0 + 100.0 * at.as_secs_f64();
        assert!((earlier + 1) as f64 <= allowed + 1e-6, "{} calls at {at:?}", earlier + 1);
    }
    // 64,000 tries in 6.4 s of the clock: burst and rate are used up, but for a few that came just before.
    assert!((700..=740).contains(&passed.len()), "{}", passed.len());

    clock.advance(Duration::from_secs(60));
    let wait = async || {
        let refused = executor.call(Call::new("ping", json!({})), &ctx, Caller::Llm).await.unwrap_err();
        refused.to_json()["retry_after_ms"].as_u64().unwrap()
    };
    for _ in 0..100 {
        assert!(executor.call(Call::new("ping", json!({})), &ctx, Caller::Llm).await.is_ok());
    }
    assert_eq!(wait().await, 10);
    clock.advance(Duration::from_millis(3));
    assert_eq!(wait().await, 7);
    clock.advance(Duration::from_millis(6));
    assert_eq!(wait().await, 1);
    clock.advance(Duration::from_millis(1));
    assert!(executor.call(Call::new("ping", json!({})), &ctx, Caller::Llm).await.is_ok());
}

#[tokio::test]
async fn side_effects_of_a_run_never_overlap_and_keep_their_order_and_reads_overlap() {
    let (log, overlap) = (Log::default(), Overlap::default());
    let ctx =
        ToolContext::builder().agent("bot").run("r1").provide(log.clone()).provide(overlap.clone()).build();
    let executor = executor(OnePolicy::default(), LimitSettings::default());
    let write = |name: &str| executor.call(Call::new("write", json!({"name": name})), &ctx, Caller::Llm);
    let (a, b, c) = tokio::join!(write("a"), write("b"), write("c"));
    for result in [a, b, c] {
        result.unwrap();
    }
    assert_eq!(*log.0.lock().unwrap(), ["+a", "-a", "+b", "-b", "+c", "-c"]);

    log.0.lock().unwrap().clear();
    let turn = ["d", "e"].map(|name| Call::new("write", json!({"name": name})));
    let batch = executor.call_all(turn.to_vec(), &ctx, Caller::Llm).await;
    assert!(batch.results.iter().all(Result::is_ok));
    assert_eq!(*log.0.lock().unwrap(), ["+d", "-d", "+e", "-e"], "two changes of one turn, in its order");

    let eight = (0..8).map(|_| Call::new("read", json!({"together": 8}))).collect();
    let all = executor.call_all(eight, &ctx, Caller::Llm);
    let batch = tokio::time::timeout(tool_trials::patience(), all).await.expect("eight reads run at once");
    assert!(batch.results.iter().all(Result::is_ok));

    let other = ToolContext::builder().agent("bot").run("r2").provide(log.clone()).build();
    log.0.lock().unwrap().clear();
    let elsewhere = executor.call(Call::new("write", json!({"name": "d"})), &other, Caller::Llm);
    let (a, d) = tokio::join!(write("a"), elsewhere);
    assert!(a.is_ok() && d.is_ok());
    assert_eq!(log.0.lock().unwrap()[..2], ["+a", "+d"], "different runs do not wait for each other");
}

#[tokio::test]
async fn a_pipe_around_a_side_effect_does_not_wait_for_itself() {
    let log = Log::default();
    let ctx = ToolContext::builder().agent("bot").run("r1").provide(log.clone()).build();
    let one = Limits { max_concurrent: Some(1), ..Limits::default() };
    let settings = LimitSettings { calls_at_once: 1, reads_per_agent: 1, ..LimitSettings::default() };
    let executor = executor(OnePolicy { tool: one, agent: one, ..OnePolicy::default() }, settings);
    let pipe = |name: &str| executor.call(Call::new("pipe", json!({"name": name})), &ctx, Caller::Llm);
    let both = async { tokio::join!(pipe("a"), pipe("b")) };
    let (a, b) = tokio::time::timeout(tool_trials::patience(), both).await.expect("nobody waits for itself");
    assert!(a.is_ok() && b.is_ok());
    assert_eq!(*log.0.lock().unwrap(), ["+a", "-a", "+b", "-b"]);
}

#[tokio::test]
async fn every_place_is_given_back_whatever_ends_the_call() {
    let ctx = ToolContext::builder().agent("bot").run("r1").build();
    let one =
        Limits { max_concurrent: Some(1), timeout: Some(Duration::from_millis(20)), ..Limits::default() };
    let executor = executor(OnePolicy { tool: one, ..OnePolicy::default() }, LimitSettings::default());
    let call = |how: &str| executor.call(Call::new("misbehave", json!({"how": how})), &ctx, Caller::Llm);
    for round in 0..50 {
        match round % 4 {
            0 => assert_eq!(call("panic").await.unwrap_err().code_str(), "panic"),
            1 => assert_eq!(call("hang").await.unwrap_err().kind(), ErrorKind::Timeout),
            2 => assert_eq!(call("fail").await.unwrap_err().kind(), ErrorKind::Failed),
            _ => {
                // One holds the place, one waits for it; both are dropped.
                let mut both = Box::pin(async { tokio::join!(call("hang"), call("hang")) });
                assert!(
                    std::future::poll_fn(|cx| std::task::Poll::Ready(both.as_mut().poll(cx).is_pending()))
                        .await
                );
            }
        }
        let next = tokio::time::timeout(tool_trials::patience(), call("nothing")).await;
        assert!(next.expect("the place is free again").is_ok(), "round {round}");
    }
}

#[tokio::test]
async fn budgets_and_full_queues_refuse() {
    let ctx = ToolContext::builder().agent("bot").run("r1").build();
    let three = Limits { max_calls_per_run: Some(3), ..Limits::default() };
    let limited = executor(OnePolicy { tool: three, ..OnePolicy::default() }, LimitSettings::default());
    for _ in 0..3 {
        limited.call(Call::new("ping", json!({})), &ctx, Caller::Llm).await.unwrap();
    }
    let refused = limited.call(Call::new("ping", json!({})), &ctx, Caller::Llm).await.unwrap_err();
    assert_eq!((refused.code_str(), &refused.details()["layer"]), ("call_budget", &json!("limit")));
    let other = ToolContext::builder().agent("bot").run("r2").build();
    assert!(limited.call(Call::new("ping", json!({})), &other, Caller::Llm).await.is_ok());

    let settings = LimitSettings { waiting: 1, wait: Duration::from_millis(30), ..LimitSettings::default() };
    let narrow = executor(OnePolicy::default(), settings);
    let hang = || narrow.call(Call::new("misbehave", json!({"how": "hang"})), &ctx, Caller::Llm);
    let (mut first, mut second, mut third) = (Box::pin(hang()), Box::pin(hang()), Box::pin(hang()));
    let full = tokio::select! {
        biased;
        _ = &mut first => panic!("the first one hangs"),
        result = &mut second => result,
        result = &mut third => result,
    };
    assert_eq!(full.unwrap_err().code_str(), "queue_full");
    let late = tokio::select! { biased; _ = &mut first => panic!("hangs"), result = &mut second => result };
    assert_eq!(late.unwrap_err().code_str(), "queue_timeout");
}

/// Says at once that it should be asked again.
#[tool(register = false)]
async fn put_off() -> Result<(), ToolError> {
    Err(ToolError::unavailable("Not now.").retry_after(Duration::ZERO))
}

/// How often calls were tried.
#[derive(Clone, Default)]
struct Tried(Arc<Mutex<Vec<u32>>>);

impl AuditSink for Tried {
    fn write(&self, row: &AuditRow) -> Result<(), ToolError> {
        self.0.lock().unwrap().push(row.tries);
        Ok(())
    }
}

#[tokio::test]
async fn a_further_try_takes_a_token_and_is_not_made_without_one() {
    for (rate, tries) in [("1/min", 1), ("2/min", 2), ("9/min", 3)] {
        let tried = Tried::default();
        let limits = Limits { rate: Rate::parse(rate, None), ..Limits::default() };
        let registry = Registry::builder().add::<PutOffTool>().build().unwrap();
        let settings = AuditSettings { sinks: vec![Box::new(tried.clone())], ..AuditSettings::default() };
        let executor = Executor::standard(registry)
            .policy(Arc::new(OnePolicy { tool: limits, ..OnePolicy::default() }))
            .audit(settings)
            .retries(2)
            .build()
            .unwrap();
        let call = Call::new("put_off", json!({}));
        let error = executor.call(call, &ToolContext::empty(), Caller::Llm).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{rate}");
        assert_eq!(*tried.0.lock().unwrap(), [tries], "{rate}");
    }
}

/// How long calls waited for a place, as measured, in seconds.
#[derive(Clone, Default)]
struct Queued(Arc<Mutex<Vec<f64>>>);

impl Metrics for Queued {
    fn record(&self, metric: &Metric, value: f64, _: &[(&'static str, &str)]) {
        if metric.name == "toolbox.call.queue.duration" {
            self.0.lock().unwrap().push(value);
        }
    }
}

#[tokio::test]
async fn how_long_a_call_waited_for_its_place_is_measured_of_those_that_waited() {
    let (queued, log) = (Queued::default(), Log::default());
    let registry = Registry::builder().add::<WriteTool>().build().unwrap();
    let executor = Executor::standard(registry)
        .limit(LimitSettings::default())
        .metrics(Arc::new(queued.clone()))
        .build()
        .unwrap();
    let ctx = ToolContext::builder().provide(log.clone()).run("r").build();
    let write = |name: &str| executor.call(Call::new("write", json!({"name": name})), &ctx, Caller::Llm);
    let (first, second) = tokio::join!(write("a"), write("b"));
    assert!(first.is_ok() && second.is_ok());
    assert_eq!(log.0.lock().unwrap().join(" "), "+a -a +b -b");
    let queued = queued.0.lock().unwrap();
    assert!(matches!(queued.as_slice(), [waited] if *waited > 0.0), "{queued:?}");
}

#[tokio::test]
async fn equal_calls_in_a_row_are_told_of_and_a_side_effect_ends() {
    let registry = || Registry::builder().add::<PingTool>().add::<WriteTool>().build().unwrap();
    let limited = |repeat_limit| {
        let settings = LimitSettings { repeat_limit, ..LimitSettings::default() };
        Executor::standard(registry()).limit(settings).build().unwrap()
    };
    let ctx = |run: &str| ToolContext::builder().provide(Log::default()).run(run).build();
    let made =
        async |executor: &Executor, ctx: &ToolContext, tool: &str, args: serde_json::Value| match executor
            .call(Call::new(tool, args), ctx, Caller::Llm)
            .await
        {
            Ok(output) => Ok(output.meta.get("repeated").and_then(|nth| nth.as_u64()).unwrap_or(0)),
            Err(error) => Err(error.code_str().to_owned()),
        };
    let (executor, run) = (limited(5), ctx("a"));
    let write = |name: &str| json!({"name": name});
    for nth in 1..=5_u64 {
        let told = if nth < 3 { 0 } else { nth };
        assert_eq!(made(&executor, &run, "write", write("x")).await, Ok(told), "{nth}");
    }
    for _ in 0..2 {
        assert_eq!(made(&executor, &run, "write", write("x")).await, Err("repeated_call".to_owned()));
    }
    // Another call in between, other arguments and another run begin anew; a read is never refused.
    assert_eq!(made(&executor, &run, "write", write("y")).await, Ok(0));
    assert_eq!(made(&executor, &run, "write", write("x")).await, Ok(0));
    assert_eq!(made(&executor, &ctx("b"), "write", write("x")).await, Ok(0));
    for nth in 1..=12_u64 {
        let told = if nth < 3 { 0 } else { nth };
        assert_eq!(made(&executor, &run, "ping", json!({})).await, Ok(told));
    }
    let off = limited(0);
    for _ in 0..12 {
        assert!(made(&off, &run, "write", write("x")).await.is_ok());
    }
}

#[tokio::test]
async fn what_is_refused_counts_for_nothing() {
    let clock = Arc::new(FakeClock::default());
    let settings = LimitSettings { clock: clock.clone(), ..LimitSettings::default() };
    let minute = Duration::from_secs(60);
    let policy = OnePolicy {
        tool: Limits { rate: Rate::parse("2/h", None), max_calls_per_run: Some(2), ..Limits::default() },
        agent: Limits { rate: Rate::parse("1/min", None), ..Limits::default() },
        ..OnePolicy::default()
    };
    let executor = executor(policy, settings);
    let run = tool_core::Coordinates::new("run");
    let ctx = ToolContext::builder().agent("bot").provide(Log::default()).at(run).build();
    let write = async || executor.call(Call::new("write", json!({"name": "a"})), &ctx, Caller::Llm).await;
    write().await.unwrap();
    for _ in 0..8 {
        let error = write().await.unwrap_err();
        // The tool's own bucket has a token left each time, or the call behind this would wait for half an hour.
        assert_eq!((error.kind(), error.retry_after_value()), (ErrorKind::RateLimited, Some(minute)));
    }
    clock.advance(minute);
    write().await.unwrap();
    clock.advance(minute);
    assert_eq!(write().await.unwrap_err().code_str(), "call_budget", "two have run");
}

#[tokio::test]
async fn more_agents_than_are_swept_have_their_own_buckets_as_long_as_they_are_used() {
    let clock = Arc::new(FakeClock::default());
    let settings = LimitSettings { clock: clock.clone(), ..LimitSettings::default() };
    let agent = Limits { rate: Rate::parse("1/day", None), ..Limits::default() };
    let executor = executor(OnePolicy { agent, ..OnePolicy::default() }, settings);
    let ping = async |agent: usize| {
        let ctx = ToolContext::builder().agent(format!("bot-{agent}")).build();
        executor.call(Call::new("ping", json!({})), &ctx, Caller::Llm).await.is_ok()
    };
    // Emptied buckets, of which more are looked at than are kept unlooked at; none is filled by being forgotten.
    for agent in 0..300 {
        assert!(ping(agent).await);
        clock.advance(Duration::from_secs(1));
    }
    for agent in 0..300 {
        assert!(!ping(agent).await, "{agent}");
    }
}

#[tokio::test]
async fn the_budget_of_an_agent_is_for_all_its_tools() {
    let agent = Limits { max_calls_per_run: Some(3), ..Limits::default() };
    let executor = executor(OnePolicy { agent, ..OnePolicy::default() }, LimitSettings::default());
    let ctx = ToolContext::builder().agent("bot").provide(Log::default()).run("run").build();
    let call = async |tool: &str, args: serde_json::Value| {
        executor
            .call(Call::new(tool, args), &ctx, Caller::Llm)
            .await
            .map_err(|error| error.code_str().to_owned())
    };
    call("ping", json!({})).await.unwrap();
    call("write", json!({"name": "a"})).await.unwrap();
    call("misbehave", json!({"how": "well"})).await.unwrap();
    assert_eq!(call("ping", json!({})).await.unwrap_err(), "call_budget");
}

#[tokio::test]
async fn a_failure_that_is_repeated_keeps_its_own_hint() {
    let executor = executor(OnePolicy::default(), LimitSettings::default());
    let ctx = ToolContext::builder().agent("bot").run("run").build();
    for (how, own) in [("fail", false), ("advise", true)] {
        let mut last = None;
        for _ in 0..3 {
            let call = Call::new("misbehave", json!({"how": how}));
            last = executor.call(call, &ctx, Caller::Llm).await.err();
        }
        let error = last.unwrap();
        assert_eq!(error.details()["repeated"], 3);
        assert_eq!(error.hint_str().map(|hint| hint == "look at the log"), Some(own), "{error:?}");
    }
}

#[tokio::test]
async fn a_nested_call_takes_the_place_of_its_tool_and_not_that_of_its_agent_once_more() {
    let one = Limits { max_concurrent: Some(1), ..Limits::default() };
    let settings = || LimitSettings { wait: Duration::from_secs(5), ..LimitSettings::default() };
    let whole = executor(OnePolicy { tool: one, agent: one, ..OnePolicy::default() }, settings());
    let log = Log::default();
    let ctx = ToolContext::builder().agent("bot").provide(log.clone()).build();
    whole.call(Call::new("pipe", json!({"name": "a"})), &ctx, Caller::Llm).await.unwrap();
    assert_eq!(log.0.lock().unwrap().drain(..).collect::<Vec<_>>(), ["+a", "-a"]);

    let by_tool = executor(OnePolicy { tool: one, ..OnePolicy::default() }, settings());
    let call =
        |tool: &'static str, name| by_tool.call(Call::new(tool, json!({"name": name})), &ctx, Caller::Llm);
    let (nested, direct) = tokio::join!(call("pipe", "b"), call("write", "c"));
    nested.unwrap();
    direct.unwrap();
    let log = log.0.lock().unwrap().clone();
    assert!(log == ["+b", "-b", "+c", "-c"] || log == ["+c", "-c", "+b", "-b"], "{log:?}");
}
