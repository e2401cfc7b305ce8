//! The context of the call that runs: what a function finds that was not handed one.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{Call, Caller, ErrorKind, Executor, Registry};

/// Tells of the call that it is in.
#[tool]
fn tell() -> Value {
    let of = |ctx: ToolContext| {
        let call = ctx.running().unwrap();
        assert!(format!("{call:?}").starts_with("CallScope { tool: \"tell\", caller: "), "{call:?}");
        json!({"tool": call.tool(), "caller": format!("{:?}", call.caller()), "id": call.id(), "key": ctx.idempotency_key()})
    };
    let (first, second) = (of(ToolContext::current().unwrap()), of(ToolContext::current().unwrap()));
    assert_eq!(first, second, "whoever asks finds the same call");
    first
}

/// Ends the call that it is in.
#[tool]
fn give_up() -> bool {
    ToolContext::current().unwrap().cancel();
    ToolContext::current().unwrap().is_cancelled()
}

/// Stops unexpectedly.
#[tool]
fn stop() -> bool {
    assert!(ToolContext::current().is_none(), "there is a call");
    true
}

/// Opens what a key is for.
#[tool(requires(secret = "DOOR_KEY"))]
fn open() -> Result<usize, ToolError> {
    Ok(ToolContext::current().unwrap().secret("DOOR_KEY")?.expose().len())
}

/// What is made for each call.
struct Badge(String);

/// Shows the badge of its call.
#[tool]
fn show(#[ctx] badge: &Badge) -> String {
    badge.0.clone()
}

/// Takes no longer than it may.
#[tool(timeout = "10s")]
fn hurry() -> u64 {
    ToolContext::current().unwrap().time_left().unwrap().as_secs()
}

/// Holds a thread until it is let go.
#[tool(timeout = "60s")]
fn hold(#[ctx] gate: &Gate) {
    gate.held.fetch_add(1, Ordering::SeqCst);
    drop(gate.open.read().unwrap());
}

/// Takes hardly any time.
#[tool(timeout = "200ms")]
fn be_brief() -> bool {
    true
}

/// How many hold a thread, and what they wait for.
#[derive(Default)]
struct Gate {
    held: AtomicUsize,
    open: RwLock<()>,
}

/// Tells the key of its call.
#[tool]
fn key_of(
    /// Of what.
    word: &str,
) -> String {
    let _ = word;
    ToolContext::current().unwrap().idempotency_key().to_owned()
}

/// Calls itself, by the context that it looks for.
#[tool]
async fn turn_round(#[ctx] relayed: &Relayed) -> ToolResult {
    relayed.0.fetch_add(1, Ordering::SeqCst);
    ToolContext::current().unwrap().call("turn_round", json!({})).await
}

/// How often a call was relayed.
#[derive(Clone, Default)]
struct Relayed(Arc<AtomicUsize>);

/// Calls another tool from a plain function, which is run where that is possible.
#[tool]
fn relay(
    /// Which.
    tool: &str,
    #[ctx] relayed: &Relayed,
    ctx: &ToolContext,
) -> ToolResult {
    relayed.0.fetch_add(1, Ordering::SeqCst);
    tokio::runtime::Handle::current().block_on(ctx.call(tool, json!({"tool": tool})))
}

fn executor() -> Executor {
    let registry =
        Registry::builder().add::<TellTool>().add::<GiveUpTool>().add::<StopTool>().add::<OpenTool>();
    let registry = registry.add::<ShowTool>().add::<HurryTool>().add::<RelayTool>().add::<KeyOfTool>();
    let registry = registry.add::<HoldTool>().add::<TurnRoundTool>().add::<BeBriefTool>().build().unwrap();
    Executor::standard(registry).build().unwrap()
}

#[test]
fn a_function_without_a_context_finds_the_call_that_it_is_in() {
    let call = Call {
        call_id: Some("c-1".to_owned()),
        idempotency_key: Some("k-1".to_owned()),
        ..Call::new("tell", json!({}))
    };
    let output = executor().call_blocking(call, &ToolContext::empty(), Caller::Llm).unwrap();
    assert_eq!(output.data(), json!({"tool": "tell", "caller": "Llm", "id": "c-1", "key": "k-1"}));
    assert!(ToolContext::current().is_none(), "outside of a call there is none");
}

#[test]
fn each_call_has_an_id_of_its_own() {
    let executor = executor();
    let id = || {
        executor.call_text_blocking("tell", "{}", &ToolContext::empty(), Caller::Cli).unwrap().data()["id"]
            .clone()
    };
    let (one, other) = (id(), id());
    assert!(one.as_str().is_some_and(|id| id.len() == 36), "{one}");
    assert_ne!(one, other);
}

#[test]
fn ending_one_call_ends_neither_its_host_nor_the_next() {
    let (executor, host) = (executor(), ToolContext::empty());
    for _ in 0..2 {
        let output = executor.call_text_blocking("give_up", "", &host, Caller::Test).unwrap();
        assert_eq!(output.data(), json!(true));
        assert!(!host.is_cancelled());
    }
}

#[test]
fn a_function_without_a_context_is_not_begun_for_a_host_that_went_away() {
    let host = ToolContext::empty();
    host.cancel();
    let error = executor().call_text_blocking("tell", "{}", &host, Caller::Test).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[test]
fn after_a_panic_there_is_no_call_any_more() {
    let error = executor().call_text_blocking("stop", "{}", &ToolContext::empty(), Caller::Test).unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::Internal, "panic"));
    assert!(ToolContext::current().is_none());
}

#[test]
fn a_plain_function_reaches_its_secrets_and_what_is_made_for_its_call() {
    let ctx = ToolContext::builder()
        .secrets(std::collections::HashMap::from([("DOOR_KEY".to_owned(), "abc".to_owned())]))
        .provide_with(|ctx| {
            Arc::new(Badge(format!("{:?}", ctx.running().map(|call| call.tool().to_owned()))))
        })
        .build();
    let call = |tool: &str| executor().call_blocking(Call::new(tool, json!({})), &ctx, Caller::Test);
    assert_eq!(call("open").unwrap().data(), 3);
    assert_eq!(call("show").unwrap().data(), "Some(\"show\")");
}

#[test]
fn a_plain_function_with_a_limit_has_that_much_time() {
    let call = |tool: &str| {
        executor().call_blocking(Call::new(tool, json!({})), &ToolContext::empty(), Caller::Test)
    };
    let left = call("hurry").unwrap().data().as_u64().unwrap();
    assert!((5..10).contains(&left), "{left}");
}

#[test]
fn a_plain_function_that_is_handed_the_context_may_call_others_but_not_itself() {
    let relayed = Relayed::default();
    let ctx = ToolContext::builder().provide(relayed.clone()).build();
    let call = |other: &str| {
        let call = Call::new("relay", json!({"tool": other}));
        executor().call_blocking(call, &ctx, Caller::Test).unwrap_err().code_str().to_owned()
    };
    assert_eq!((call("give_up").as_str(), relayed.0.load(Ordering::SeqCst)), ("invalid_args", 1));
    assert_eq!((call("relay").as_str(), relayed.0.load(Ordering::SeqCst)), ("call_cycle", 2));
}

#[test]
fn a_function_that_looks_for_its_context_cannot_call_itself_for_ever() {
    let relayed = Relayed::default();
    let ctx = ToolContext::builder().provide(relayed.clone()).build();
    let error = executor().call_blocking(Call::new("turn_round", json!({})), &ctx, Caller::Test).unwrap_err();
    // Its first call may keep no arguments to be compared with.
    assert_eq!((error.code_str(), relayed.0.load(Ordering::SeqCst)), ("call_cycle", 2));
}

#[tokio::test]
async fn the_key_of_a_call_in_a_run_is_that_of_its_arguments_whatever_was_called_before() {
    let executor = executor();
    for blocking in [false, true] {
        let keys = async |words: [&str; 2]| {
            let ctx = ToolContext::builder().run("run").build();
            let mut keys = BTreeMap::new();
            for word in words {
                let call = Call::new("key_of", json!({"word": word}));
                let result = match blocking {
                    true => executor.call_blocking(call, &ctx, Caller::Test),
                    false => executor.call(call, &ctx, Caller::Test).await,
                };
                keys.insert(word.to_owned(), result.unwrap().data());
            }
            keys
        };
        let (first, second) = (keys(["a", "b"]).await, keys(["b", "a"]).await);
        assert_eq!(first, second);
        assert_ne!(first["a"], first["b"]);
    }
}

#[test]
fn without_a_runtime_one_more_than_may_block_waits_until_a_thread_is_free() {
    let gate = Arc::new(Gate::default());
    let ctx = ToolContext::builder().provide_arc(Arc::clone(&gate)).build();
    let executor = executor();
    let shut = gate.open.write().unwrap();
    std::thread::scope(|scope| {
        let call = || executor.call_blocking(Call::new("hold", json!({})), &ctx, Caller::Test);
        let calls: Vec<_> = (0..=tool_core::BLOCKING_MAX).map(|_| scope.spawn(call)).collect();
        while gate.held.load(Ordering::SeqCst) < tool_core::BLOCKING_MAX {
            std::thread::yield_now();
        }
        // Nobody can tell that the last one waits rather than that it has not come yet; it must not begin.
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(gate.held.load(Ordering::SeqCst), tool_core::BLOCKING_MAX);
        // Its time is not over when it has waited for longer than that.
        let brief =
            scope.spawn(|| executor.call_blocking(Call::new("be_brief", json!({})), &ctx, Caller::Test));
        std::thread::sleep(Duration::from_millis(400));
        drop(shut);
        brief.join().unwrap().unwrap();
        for call in calls {
            call.join().unwrap().unwrap();
        }
    });
    assert_eq!(gate.held.load(Ordering::SeqCst), tool_core::BLOCKING_MAX + 1);
}
