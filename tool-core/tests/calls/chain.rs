//! Everything configured at once: the order of the layers, and one recorded outcome whatever ends a call. (calls.md §1, §8)

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::journal::{Journal as _, MemoryJournal, RowQuery, Status};
use tool_core::prelude::*;
use tool_core::{
    ApprovalLevel, Call, Caller, CheckMode, Executor, ExecutorBuilder, JournalMode, ReadResultTool, Registry,
    ShapeSettings,
};

use crate::policy_of_one::OnePolicy;
use crate::scene::{CANARY, Rows, audited, registry, secrets};

/// Every layer that there is.
fn whole(registry: Registry, journal: &MemoryJournal, rows: &Rows) -> ExecutorBuilder {
    let builder = Executor::standard(registry)
        .policy(Arc::new(OnePolicy::default()))
        .approve(ApprovalLevel::Destructive)
        .journal(Arc::new(journal.another()), JournalMode::All, "test 1")
        .shape(ShapeSettings { secrets: secrets(), ..ShapeSettings::default() })
        .check(CheckMode::Error)
        .retries(2)
        .trace()
        .audit(audited(rows));
    #[cfg(feature = "limit")]
    let builder = builder.limit(tool_core::LimitSettings::default());
    builder
}

#[test]
fn with_everything_configured_the_layers_stand_in_their_order() {
    let executor = whole(registry(), &MemoryJournal::new(), &Rows::default()).build().unwrap();
    let limit = if cfg!(feature = "limit") { &["limit"][..] } else { &[] };
    let wanted = [
        &["trace", "audit", "decode", "gate", "approve"][..],
        limit,
        &["journal", "shape", "check", "retry", "run"],
    ];
    assert_eq!(executor.layers(), wanted.concat());
}

/// Ends in its own way, or does not.
#[tool(side_effect, idempotent = false, timeout = "200ms", register = false)]
async fn stray(
    /// How.
    how: &str,
) -> Result<String, ToolError> {
    match how {
        "panic" => panic!("{CANARY}"),
        "hang" => std::future::pending().await,
        "ignore" => {
            // Goes on for longer than its grace, whatever it is told.
            for _ in 0..40 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Ok("late".to_owned())
        }
        _ => Ok("fine".to_owned()),
    }
}

/// Threads that wait for this to be over.
#[derive(Clone, Default)]
struct Shut(Arc<std::sync::RwLock<()>>);

/// Blocks its thread until it is let go.
#[tool(side_effect, idempotent = false, timeout = "200ms", register = false)]
fn block(#[ctx] shut: &Shut) {
    drop(shut.0.read());
}

fn strays() -> Registry {
    Registry::builder().add::<StrayTool>().add::<BlockTool>().add::<ReadResultTool>().build().unwrap()
}

/// What one call left: journal and audit.
async fn left(journal: &MemoryJournal, rows: &Rows) -> (Status, &'static str) {
    let recorded = journal.rows(&RowQuery::default()).await.unwrap();
    let audited = rows.take();
    assert_eq!((recorded.len(), audited.len()), (1, 1), "one outcome, once each");
    (recorded[0].status, audited[0].outcome)
}

#[tokio::test(start_paused = true)]
async fn a_call_that_panics_hangs_or_heeds_nothing_is_ended_and_has_one_outcome() {
    for (how, wanted) in [
        ("fine", (Status::Ok, "ok")),
        ("panic", (Status::InDoubt, "internal")),
        ("hang", (Status::InDoubt, "timeout")),
        ("ignore", (Status::InDoubt, "timeout")),
    ] {
        let (journal, rows) = (MemoryJournal::new(), Rows::default());
        let executor = whole(strays(), &journal, &rows).build().unwrap();
        let ctx = ToolContext::builder().agent("bot").build();
        // The clock is the runtime's own, but deadlines are counted by that of the machine, which may be slow.
        let call = executor.call(Call::new("stray", json!({"how": how})), &ctx, Caller::Llm);
        let ended = tokio::time::timeout(tool_trials::patience(), call).await;
        let _ = ended.unwrap_or_else(|_| panic!("{how} did not end"));
        assert_eq!(left(&journal, &rows).await, wanted, "{how}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(
    clippy::await_holding_lock,
    reason = "the gate is held shut; only threads that may block wait for it"
)]
async fn a_thread_that_blocks_for_ever_leaves_one_outcome_and_its_late_end_settles_it() {
    let (journal, rows, shut) = (MemoryJournal::new(), Rows::default(), Shut::default());
    let executor = whole(strays(), &journal, &rows).build().unwrap();
    let ctx = ToolContext::builder().agent("bot").provide(shut.clone()).build();
    let held = shut.0.write().unwrap();
    let call = executor.call(Call::new("block", json!({})), &ctx, Caller::Llm);
    let ended = tokio::time::timeout(tool_trials::patience(), call).await.expect("it is left behind");
    assert_eq!(ended.unwrap_err().kind(), tool_core::ErrorKind::Timeout);
    assert_eq!(left(&journal, &rows).await, (Status::InDoubt, "timeout"));
    drop(held);
    let deadline = std::time::Instant::now() + tool_trials::patience();
    while journal.rows(&RowQuery::default()).await.unwrap()[0].status != Status::Reconciled {
        assert!(std::time::Instant::now() < deadline, "the late outcome was not recorded");
        tokio::task::yield_now().await;
    }
}

/// Waits several times, each time for one more poll.
#[tool(side_effect, idempotent = false, register = false)]
async fn steps(#[ctx] ran: &Arc<AtomicUsize>) -> usize {
    for _ in 0..5 {
        ran.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
    }
    5
}

#[tokio::test]
async fn a_call_that_is_dropped_at_any_await_point_has_one_outcome() {
    let mut met = Vec::new();
    for polls in 0.. {
        let (journal, rows, ran) = (MemoryJournal::new(), Rows::default(), Arc::new(AtomicUsize::new(0)));
        let registry = Registry::builder().add::<StepsTool>().add::<ReadResultTool>().build().unwrap();
        let executor = whole(registry, &journal, &rows).build().unwrap();
        let ctx = ToolContext::builder().agent("bot").provide(Arc::clone(&ran)).build();
        let mut call = Box::pin(executor.call(Call::new("steps", json!({})), &ctx, Caller::Llm));
        let mut done = None;
        for _ in 0..polls {
            let polled = std::future::poll_fn(|cx| std::task::Poll::Ready(call.as_mut().poll(cx))).await;
            if let std::task::Poll::Ready(result) = polled {
                done = Some(result);
                break;
            }
        }
        drop(call);
        let recorded = journal.rows(&RowQuery::default()).await.unwrap();
        assert_eq!(rows.take().len(), usize::from(polls > 0), "after {polls} polls");
        let statuses: Vec<Status> = recorded.iter().map(|row| row.status).collect();
        assert!(statuses.iter().all(|status| !status.is_open()), "after {polls} polls: {statuses:?}");
        // No effect without a row, and one row for it.
        assert!(statuses.len() == 1 || ran.load(Ordering::SeqCst) == 0, "after {polls} polls: {statuses:?}");
        met.extend(statuses);
        if let Some(result) = done {
            assert_eq!(result.unwrap().data(), json!(5));
            break;
        }
    }
    assert!(met.len() >= 5 && met.ends_with(&[Status::InDoubt, Status::Ok]), "{met:?}");
}

#[tokio::test]
async fn a_secret_that_a_call_was_handed_or_given_is_in_no_result_and_no_record() {
    /// Says what it knows.
    #[tool(side_effect, idempotent, requires(secret = "VAULT_KEY"), register = false)]
    async fn tell(
        /// A password.
        #[arg(secret)]
        password: &str,
        /// How.
        how: &str,
        ctx: &ToolContext,
    ) -> ToolResult {
        let key = ctx.secret("VAULT_KEY")?;
        let both = format!("{} and {password}", key.expose());
        match how {
            "error" => Err(ToolError::failed(both.clone()).hint(both.clone()).detail("both", both)),
            _ => {
                Ok(ToolOutput::structured(json!({"both": both, password: 1}))
                    .with_content(Content::text(both)))
            }
        }
    }
    use tool_core::Content;
    let (journal, rows) = (MemoryJournal::new(), Rows::default());
    let registry = Registry::builder().add::<TellTool>().add::<ReadResultTool>().build().unwrap();
    let executor = whole(registry, &journal, &rows).build().unwrap();
    let vault: std::collections::HashMap<String, String> =
        [("VAULT_KEY".to_owned(), "vault-canary-77".to_owned())].into();
    let ctx = ToolContext::builder().agent("bot").secrets(vault).build();
    let call = async |how: &str| {
        let args = json!({"password": "pass-canary-88", "how": how});
        executor.call(Call::new("tell", args), &ctx, Caller::Llm).await
    };
    let told = format!("{:?}", call("ok").await.unwrap());
    assert!(told.contains("[secret:VAULT_KEY] and [secret:password]"), "{told}");
    let error = call("error").await.unwrap_err();
    assert_eq!(error.message(), "[secret:VAULT_KEY] and [secret:password]");
    // What is known by now is also taken out of what a step outside of shaping says, and of what is recorded as an argument.
    let echoed = executor.call(
        Call::new("tell", json!({"how": "vault-canary-77", "vault-canary-77": 1})),
        &ctx,
        Caller::Llm,
    );
    let echoed = echoed.await.unwrap_err();
    call("vault-canary-77").await.unwrap();
    let recorded = journal.rows(&RowQuery::default()).await.unwrap();
    let inputs: Vec<Value> =
        recorded.iter().map(|row| serde_json::from_str(&row.input_json).unwrap()).collect();
    assert_eq!(inputs.last().unwrap()["how"], "[secret:VAULT_KEY]");
    let all = format!("{told} {error:?} {echoed:?} {} {recorded:?} {:?}", error.to_json(), rows.take());
    for canary in ["vault-canary-77", "pass-canary-88"] {
        assert!(!all.contains(canary), "{canary} in {all}");
    }
    // Its twin: what is no secret passes.
    assert!(all.contains("bot"));
}
