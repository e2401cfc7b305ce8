//! Calls that wait for others, that end with a question, or of which nobody knows what they did.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tool_core::journal::{Journal as _, MemoryJournal, Reconciled, RecordedCall, Row, RowQuery, Status};
use tool_core::prelude::*;
use tool_core::{
    ApprovalLevel, ApprovalRequest, Approver, BoxFuture, Call, Caller, Coordinates, Decision, Effect,
    ErrorKind, Executor, INPUT_REQUIRED, JournalMode, Registry,
};

use crate::scene::Calls;

/// Sends when it is told to.
#[tool(side_effect, idempotent, register = false)]
async fn send(#[ctx] go: &Notify, #[ctx] calls: &Calls) -> usize {
    go.notified().await;
    calls.0.fetch_add(1, Ordering::SeqCst)
}

/// Needs an answer before it does anything, the first time.
#[tool(side_effect, idempotent = false, register = false)]
fn ask_first(#[ctx] calls: &Calls) -> Result<usize, ToolError> {
    match calls.0.fetch_add(1, Ordering::SeqCst) {
        0 => Err(ToolError::denied("Which one?").code(INPUT_REQUIRED).effect(Effect::None)),
        before => Ok(before),
    }
}

/// Is lost the first time; nobody can say what became of it, but its key keeps a second effect away.
#[tool(side_effect, idempotent = false, reconcile = nobody_knows, register = false)]
fn lose_with_key(ctx: &ToolContext, #[ctx] calls: &Calls) -> Result<usize, ToolError> {
    assert!(!ctx.idempotency_key().is_empty());
    lost_at_first(calls)
}

/// Is lost the first time, and nobody can say what became of it.
#[tool(side_effect, idempotent = false, reconcile = nobody_knows, register = false)]
fn lose(#[ctx] calls: &Calls) -> Result<usize, ToolError> {
    lost_at_first(calls)
}

fn lost_at_first(calls: &Calls) -> Result<usize, ToolError> {
    match calls.0.fetch_add(1, Ordering::SeqCst) {
        0 => Err(ToolError::unavailable("The line is dead.")),
        before => Ok(before),
    }
}

async fn nobody_knows(_: &RecordedCall, _: &ToolContext) -> Reconciled {
    Reconciled::Unknown
}

#[derive(Default)]
struct Scene {
    journal: MemoryJournal,
    go: Arc<Notify>,
    calls: Calls,
}

impl Scene {
    /// A process that waits so long for an equal call.
    fn process(&self, wait: Duration) -> Executor {
        let registry = Registry::builder().add::<SendTool>().add::<AskFirstTool>();
        let registry = registry.add::<LoseWithKeyTool>().add::<LoseTool>().build().unwrap();
        let journal = Arc::new(self.journal.another());
        let executor = Executor::standard(registry).journal(journal, JournalMode::All, "demo 1.0");
        executor.journal_wait(wait).build().unwrap()
    }

    fn context(&self) -> tool_core::ContextBuilder {
        ToolContext::builder().provide_arc(Arc::clone(&self.go)).provide(self.calls.clone())
    }

    async fn rows(&self) -> Vec<Row> {
        self.journal.rows(&RowQuery::default()).await.unwrap()
    }
}

fn keyed() -> Call {
    Call { idempotency_key: Some("k".to_owned()), ..Call::new("send", json!({})) }
}

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_an_equal_one_that_runs_and_has_its_outcome() {
    let scene = Scene::default();
    let (one, other, ctx) = (scene.process(MINUTE), scene.process(MINUTE), scene.context().build());
    let later = async {
        tokio::time::sleep(Duration::from_secs(40)).await;
        scene.go.notify_one();
    };
    let (first, second, ()) =
        tokio::join!(one.call(keyed(), &ctx, Caller::Test), other.call(keyed(), &ctx, Caller::Test), later,);
    let (first, second) = (first.unwrap(), second.unwrap());
    assert_eq!((first.data(), second.data()), (json!(0), json!(0)));
    assert_eq!((first.meta.get("replayed"), &second.meta["replayed"]), (None, &json!(true)));
    assert_eq!(scene.calls.0.load(Ordering::SeqCst), 1);
}

/// How long a call waits, by the clock, for one that does not end: its host's limit, and the time that it has.
async fn waited(wait: Duration, has: Option<Duration>) -> Duration {
    let scene = Scene::default();
    let (one, other, ctx) = (scene.process(MINUTE), scene.process(wait), scene.context().build());
    let limited = match has {
        Some(time) => scene.context().deadline(Instant::now() + time).build(),
        None => ctx.clone(),
    };
    let began = tokio::time::Instant::now();
    let second = async {
        let error = other.call(keyed(), &limited, Caller::Test).await.unwrap_err();
        assert_eq!((error.code_str(), error.kind()), ("in_progress", ErrorKind::Conflict));
        assert_eq!(error.message(), "send still runs with this key.");
        scene.go.notify_one();
        began.elapsed()
    };
    let (first, waited) = tokio::join!(one.call(keyed(), &ctx, Caller::Test), second);
    assert!(first.is_ok());
    waited
}

#[test]
fn a_call_waits_as_long_as_its_host_says_but_not_beyond_its_own_deadline() {
    let (half, long) = (MINUTE / 2, 2 * MINUTE);
    for (wait, has) in [(half, None), (half, Some(long)), (long, Some(half))] {
        // Each in a time of its own: a paused clock stays ahead of the deadlines of the next.
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(true).build().unwrap();
        let waited = runtime.block_on(waited(wait, has)).as_secs_f64();
        assert!((29.0..31.0).contains(&waited), "{waited} s of {wait:?}, {has:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_waiting_for_an_equal_call_is_cancelled_and_that_one_is_not() {
    let scene = Scene::default();
    let (one, other, ctx) = (scene.process(MINUTE), scene.process(MINUTE), scene.context().build());
    let cancel = CancellationToken::new();
    let impatient = scene.context().cancellation(cancel.clone()).build();
    let gives_up = async {
        // A paused clock moves on only where everybody waits.
        tokio::time::sleep(Duration::from_secs(1)).await;
        cancel.cancel();
        tokio::time::sleep(Duration::from_secs(1)).await;
        scene.go.notify_one();
    };
    let (first, second, ()) = tokio::join!(
        one.call(keyed(), &ctx, Caller::Test),
        other.call(keyed(), &impatient, Caller::Test),
        gives_up,
    );
    assert_eq!((first.unwrap().data(), second.unwrap_err().kind()), (json!(0), ErrorKind::Cancelled));
}

#[tokio::test]
async fn a_call_that_ended_with_a_question_is_made_anew_in_its_place() {
    let scene = Scene::default();
    let executor = scene.process(MINUTE);
    let ctx = scene.context().at(Coordinates::new("run")).build();
    let call = |id: &str| {
        let call = Call { call_id: Some(id.to_owned()), ..Call::new("ask_first", json!({})) };
        executor.call(call, &ctx, Caller::Test)
    };
    assert_eq!(call("c-1").await.unwrap_err().code_str(), INPUT_REQUIRED);
    let row = scene.rows().await.pop().unwrap();
    assert_eq!((row.retryable, row.ordinal), (Some(true), 0));
    assert_eq!(call("c-1").await.unwrap().data(), 1);
    assert_eq!(call("c-2").await.unwrap().data(), 2);
    assert_eq!(scene.rows().await.pop().unwrap().retryable, None);
    let ordinals: Vec<(Status, u32)> = scene
        .rows()
        .await
        .iter()
        .map(|row| (row.status, row.ordinal))
        .filter(|row| row.0 == Status::Ok)
        .collect();
    assert_eq!(ordinals, [(Status::Ok, 0), (Status::Ok, 1)]);
}

#[tokio::test]
async fn where_nobody_knows_a_key_lets_a_call_be_repeated_and_without_one_a_person_is_asked() {
    for (tool, repeats) in [("lose_with_key", true), ("lose", false)] {
        let scene = Scene::default();
        let at = |attempt| scene.context().at(Coordinates::new("run").attempt(attempt)).build();
        let call = async |attempt| {
            scene.process(MINUTE).call(Call::new(tool, json!({})), &at(attempt), Caller::Test).await
        };
        let lost = call(1).await.unwrap_err();
        assert_eq!(lost.details()["journal"], json!("in_doubt"), "{tool}");
        let again = call(2).await;
        match repeats {
            true => assert_eq!(again.unwrap().data(), 1),
            false => {
                let error = again.unwrap_err();
                assert_eq!((error.code_str(), error.kind()), ("in_doubt", ErrorKind::Conflict));
                let hint = error.hint_str().unwrap();
                assert!(hint.ends_with("demo journal resolve CALL --as ok|error|not_done"), "{hint}");
                let row = scene.rows().await.remove(0);
                let place =
                    ["call_id", "attempt", "seq", "started_at_ms"].map(|name| error.details()[name].clone());
                assert_eq!(
                    place,
                    [json!(row.call_id), json!(row.attempt), json!(row.seq), json!(row.started_at_ms)]
                );
            }
        }
        assert_eq!(scene.calls.0.load(Ordering::SeqCst), 1 + usize::from(repeats), "{tool}");
    }
}

/// Refuses once, then consents.
struct Reluctant(Arc<AtomicBool>);

impl Approver for Reluctant {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        let decision = match self.0.swap(true, Ordering::SeqCst) {
            false => Decision::Deny { reason: None },
            true => Decision::AllowOnce,
        };
        Box::pin(std::future::ready(decision))
    }
}

#[tokio::test]
async fn a_call_that_was_refused_before_it_began_takes_no_number_from_the_next() {
    let scene = Scene::default();
    let registry = Registry::builder().add::<LoseWithKeyTool>().build().unwrap();
    let executor = Executor::standard(registry)
        .journal(Arc::new(scene.journal.another()), JournalMode::All, "demo 1.0")
        .approve(ApprovalLevel::SideEffect)
        .build()
        .unwrap();
    let at = Coordinates::new("run");
    let ctx = scene.context().approver(Reluctant(Arc::default())).at(at).build();
    scene.calls.0.store(1, Ordering::SeqCst);
    let call = || executor.call(Call::new("lose_with_key", json!({})), &ctx, Caller::Test);
    assert_eq!(call().await.unwrap_err().code_str(), "approval_denied");
    for _ in 0..2 {
        call().await.unwrap();
    }
    let ordinals: Vec<u32> = scene.rows().await.iter().map(|row| row.ordinal).collect();
    assert_eq!(ordinals, [0, 1]);
}

#[tokio::test]
async fn a_call_that_is_run_again_in_place_of_a_lost_one_has_its_number_and_key() {
    let scene = Scene::default();
    let ctx = scene.context().at(Coordinates::new("run")).build();
    let process = scene.process(MINUTE);
    scene.calls.0.store(1, Ordering::SeqCst);
    process.call(Call::new("lose_with_key", json!({})), &ctx, Caller::Test).await.unwrap();
    scene.calls.0.store(0, Ordering::SeqCst);
    process.call(Call::new("lose_with_key", json!({})), &ctx, Caller::Test).await.unwrap_err();
    let lost = scene.rows().await.pop().unwrap();
    assert_eq!((lost.status, lost.ordinal), (Status::InDoubt, 1));
    let ctx = scene.context().build().for_recovery(&lost);
    scene.process(MINUTE).call(Call::new("lose_with_key", json!({})), &ctx, Caller::Test).await.unwrap();
    let again = scene.rows().await.pop().unwrap();
    assert_ne!(again.call_id, lost.call_id);
    assert_eq!((again.status, again.ordinal, &again.call_key), (Status::Ok, 1, &lost.call_key));
}
