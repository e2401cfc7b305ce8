//! Which recorded outcome is given again in place of a call, and which call is another one although it looks the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tool_core::journal::{Journal as _, MemoryJournal, Row, RowQuery, Status};
use tool_core::prelude::*;
use tool_core::{
    ApprovalLevel, ApprovalRequest, Approver, BoxFuture, Call, Caller, Coordinates, Decision, Effect,
    ErrorKind, Executor, ExecutorBuilder, JournalMode, Registry,
};

use crate::scene::{Calls, Rows, audited};

/// Reads something else each time, or fails.
#[tool(register = false)]
fn look(
    /// At what.
    at: &str,
    #[ctx] calls: &Calls,
) -> Result<usize, ToolError> {
    let before = calls.0.fetch_add(1, Ordering::SeqCst);
    match at {
        "gone" => Err(ToolError::not_found(format!("It is gone, {before}.")).retryable(true)),
        "slow" => Err(ToolError::timeout("It took too long.")),
        "ended" => Err(ToolError::cancelled("It was ended.")),
        _ => Ok(before),
    }
}

/// Reads elsewhere.
#[tool(register = false)]
fn peer(
    /// At what.
    at: &str,
    #[ctx] calls: &Calls,
) -> usize {
    let _ = at;
    calls.0.fetch_add(1, Ordering::SeqCst)
}

/// Sends something; its key keeps it from being sent twice.
#[tool(side_effect, idempotent = false, register = false)]
fn send(
    /// What.
    text: &str,
    #[ctx] calls: &Calls,
    ctx: &ToolContext,
) -> usize {
    let _ = (text, ctx.idempotency_key());
    calls.0.fetch_add(1, Ordering::SeqCst)
}

/// Sends elsewhere.
#[tool(side_effect, idempotent = false, register = false)]
fn mail(
    /// What.
    text: &str,
    #[ctx] calls: &Calls,
    ctx: &ToolContext,
) -> Result<usize, ToolError> {
    let _ = ctx.idempotency_key();
    let before = calls.0.fetch_add(1, Ordering::SeqCst);
    if text == "lost" { Err(ToolError::failed("It was lost.").effect(Effect::Done)) } else { Ok(before) }
}

/// Sends through another tool, so many times.
#[tool(side_effect, idempotent, register = false)]
async fn forward(
    /// What.
    text: &str,
    /// How often.
    times: usize,
    ctx: &ToolContext,
) -> ToolResult {
    let mut sent = Vec::new();
    for _ in 0..times {
        sent.push(ctx.call("send", json!({"text": text})).await?.data());
    }
    Ok(ToolOutput::structured(json!(sent)))
}

/// One journal, and processes that share it.
#[derive(Default)]
struct Scene {
    journal: MemoryJournal,
    calls: Calls,
    audited: Rows,
}

impl Scene {
    fn process(&self) -> Executor {
        self.builder().build().unwrap()
    }

    fn builder(&self) -> ExecutorBuilder {
        let registry = Registry::builder().add::<LookTool>().add::<PeerTool>().add::<SendTool>();
        let registry = registry.add::<MailTool>().add::<ForwardTool>().build().unwrap();
        let journal = Arc::new(self.journal.another());
        Executor::standard(registry).journal(journal, JournalMode::All, "test 1").replay_reads()
    }

    async fn call(&self, executor: &Executor, at: Coordinates, call: Call) -> ToolResult {
        let ctx = ToolContext::builder().provide(self.calls.clone()).at(at).build();
        executor.call(call, &ctx, Caller::Test).await
    }

    /// What a call of a new process gave, and whether that was recorded before.
    async fn given(&self, at: Coordinates, call: Call) -> (Value, bool) {
        let output = self.call(&self.process(), at, call).await.unwrap();
        (output.data(), output.meta.contains_key("replayed"))
    }

    async fn rows(&self) -> Vec<Row> {
        self.journal.rows(&RowQuery::default()).await.unwrap()
    }
}

fn keyed(tool: &str, args: Value) -> Call {
    Call { idempotency_key: Some("k".to_owned()), ..Call::new(tool, args) }
}

fn at(attempt: u32) -> Coordinates {
    Coordinates::new("run").node("node").iteration(2).tenant("acme").attempt(attempt)
}

#[tokio::test]
async fn a_read_with_the_same_key_is_the_same_read_only_at_the_same_place_of_the_run() {
    let scene = Scene::default();
    let read = || keyed("look", json!({"at": "x"}));
    assert_eq!(scene.given(at(1), read()).await, (json!(0), false));
    for (place, elsewhere) in [
        ("tenant", at(2).tenant("other")),
        ("node", at(2).node("other")),
        ("iteration", at(2).iteration(3)),
        ("run", Coordinates::new("other").node("node").iteration(2).tenant("acme").attempt(2)),
    ] {
        assert!(!scene.given(elsewhere, read()).await.1, "{place}");
    }
    assert!(!scene.given(at(2), keyed("look", json!({"at": "y"}))).await.1);
    assert!(!scene.given(at(2), keyed("peer", json!({"at": "x"}))).await.1);
    let other = Call { idempotency_key: Some("other".to_owned()), ..read() };
    assert!(!scene.given(at(2), other).await.1);
    assert_eq!(scene.given(at(3), read()).await, (json!(0), true));
}

#[tokio::test]
async fn the_latest_read_of_an_earlier_attempt_is_given_and_what_was_given_again_is_none() {
    let scene = Scene::default();
    let read = || keyed("look", json!({"at": "x"}));
    assert_eq!(scene.given(at(1), read()).await, (json!(0), false));
    assert_eq!(scene.given(at(1), read()).await, (json!(1), false), "attempts do not read from themselves");
    assert_eq!(scene.given(at(3), read()).await, (json!(1), true));
    let twice = || Call { idempotency_key: Some("other".to_owned()), ..read() };
    assert!(!scene.given(at(4), twice()).await.1 && !scene.given(at(4), twice()).await.1);
    // One that comes late has those of the attempts before it.
    assert_eq!(scene.given(at(2), read()).await, (json!(1), true));
    let mut rows = scene.rows().await;
    rows.retain(|row| row.attempt < 4);
    let first: Vec<&Row> = rows.iter().filter(|row| row.replay_of.is_none()).collect();
    let again: Vec<&Row> = rows.iter().filter(|row| row.replay_of.is_some()).collect();
    assert_eq!((first.len(), again.len()), (2, 2));
    assert!(again.iter().all(|row| row.replay_of.as_ref() == Some(&first[1].call_id)), "{again:?}");
    let kept = |row: &Row| (row.status, row.output_json.clone(), row.error_json.clone(), row.retryable);
    assert!(again.iter().all(|row| kept(row) == kept(first[1]) && row.finished_at_ms.is_some()));
}

#[tokio::test]
async fn errors_are_read_again_and_a_read_that_somebody_ended_is_made_again() {
    let scene = Scene::default();
    let read = |what: &str| Call::new("look", json!({"at": what}));
    let process = scene.process();
    for what in ["gone", "slow", "ended"] {
        scene.call(&process, at(1), read(what)).await.unwrap_err();
    }
    let later = scene.process();
    let gone = scene.call(&later, at(2), read("gone")).await.unwrap_err();
    assert_eq!((gone.message(), gone.kind()), ("It is gone, 0.", ErrorKind::NotFound));
    assert_eq!((gone.is_retryable(), &gone.details()["replayed"]), (true, &json!(true)));
    let slow = scene.call(&later, at(2), read("slow")).await.unwrap_err();
    assert_eq!((slow.kind(), &slow.details()["replayed"]), (ErrorKind::Timeout, &json!(true)));
    let ended = scene.call(&later, at(2), read("ended")).await.unwrap_err();
    assert_eq!(ended.details().get("replayed"), None);
    assert_eq!(scene.calls.0.load(Ordering::SeqCst), 4);
    let again = scene.rows().await.into_iter().find(|row| row.replay_of.is_some()).unwrap();
    assert_eq!((again.status, again.retryable), (Status::Error, Some(true)));
    assert!(again.error_json.unwrap().contains("It is gone, 0."));
}

#[tokio::test]
async fn reads_outside_of_runs_are_never_given_again() {
    let scene = Scene::default();
    let read = || keyed("look", json!({"at": "x"}));
    let nowhere = |attempt| Coordinates::new("").attempt(attempt);
    assert_eq!(scene.given(nowhere(1), read()).await, (json!(0), false));
    assert_eq!(scene.given(nowhere(2), read()).await, (json!(1), false));
}

#[tokio::test]
async fn an_equal_change_of_another_process_in_the_same_attempt_is_another_one() {
    let scene = Scene::default();
    let send = || Call::new("send", json!({"text": "x"}));
    assert_eq!(scene.given(at(1), send()).await, (json!(0), false));
    assert_eq!(scene.given(at(1), send()).await, (json!(1), false));
    let ordinals: Vec<u32> = scene.rows().await.iter().map(|row| row.ordinal).collect();
    assert_eq!(ordinals, [0, 1]);
    // The next attempt has both, in their order, and then goes on.
    let process = scene.process();
    for expected in [(0, true), (1, true), (2, false)] {
        let output = scene.call(&process, at(2), send()).await.unwrap();
        assert_eq!((output.data(), output.meta.contains_key("replayed")), (json!(expected.0), expected.1));
    }
}

#[tokio::test]
async fn changes_at_other_places_with_other_arguments_or_by_other_tools_take_no_number() {
    let scene = Scene::default();
    let send = |text: &str| Call::new("send", json!({"text": text}));
    let process = scene.process();
    for (place, call) in [
        (at(1).tenant("other"), send("x")),
        (at(1).node("other"), send("x")),
        (at(1).iteration(3), send("x")),
        (Coordinates::new("other").node("node").iteration(2).tenant("acme"), send("x")),
        (at(1), send("y")),
        (at(1), Call::new("mail", json!({"text": "x"}))),
        (at(1), Call::new("forward", json!({"text": "x", "times": 1}))),
    ] {
        scene.call(&process, place, call).await.unwrap();
    }
    // A call in a call has a number of its own kind, and this one its first.
    assert!(!scene.given(at(1), send("x")).await.1);
    let rows = scene.rows().await;
    assert_eq!((rows.len(), rows.iter().all(|row| row.ordinal == 0)), (9, true), "{rows:?}");
}

#[tokio::test]
async fn calls_in_a_call_are_counted_by_themselves() {
    let scene = Scene::default();
    let forward = |times: usize| Call::new("forward", json!({"text": "x", "times": times}));
    let process = scene.process();
    let output = scene.call(&process, at(1), forward(3)).await.unwrap();
    assert_eq!(output.data(), json!([0, 1, 2]));
    scene.call(&process, at(1), Call::new("send", json!({"text": "x"}))).await.unwrap();
    let rows = scene.rows().await;
    let of = |parent: bool| -> Vec<u32> {
        let sent = rows.iter().filter(|row| row.tool_name == "send");
        sent.filter(|row| row.parent_call_id.is_some() == parent).map(|row| row.ordinal).collect()
    };
    assert_eq!((of(true), of(false)), (vec![0, 1, 2], vec![0]));
}

#[tokio::test]
async fn reads_of_other_processes_in_the_same_attempt_are_not_looked_for() {
    let scene = Scene::default();
    let read = || Call::new("look", json!({"at": "x"}));
    assert_eq!(scene.given(at(1), read()).await, (json!(0), false));
    assert_eq!(scene.given(at(1), read()).await, (json!(1), false));
    let ordinals: Vec<u32> = scene.rows().await.iter().map(|row| row.ordinal).collect();
    assert_eq!(ordinals, [0, 0]);
}

/// Consents, and counts the questions.
struct Consents(Arc<AtomicUsize>);

impl Approver for Consents {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::ready(Decision::AllowOnce))
    }
}

#[tokio::test]
async fn an_outcome_that_is_given_again_is_asked_about_by_nobody_be_it_an_error() {
    for (text, fails) in [("x", false), ("lost", true)] {
        let scene = Scene::default();
        let asked = Arc::new(AtomicUsize::new(0));
        let call = async |attempt: u32, asks: bool| {
            let executor = scene.builder().approve(ApprovalLevel::SideEffect);
            let executor = executor.audit(audited(&scene.audited)).build().unwrap();
            let ctx = ToolContext::builder().provide(scene.calls.clone()).at(at(attempt));
            let ctx = if asks { ctx.approver(Consents(asked.clone())) } else { ctx }.build();
            executor.call(Call::new("mail", json!({"text": text})), &ctx, Caller::Test).await
        };
        let first = call(1, true).await;
        let again = call(2, false).await;
        assert_eq!((first.is_err(), asked.load(Ordering::SeqCst)), (fails, 1));
        match (first, again) {
            (Ok(first), Ok(again)) => assert_eq!(first.data(), again.data()),
            (Err(first), Err(again)) => {
                assert_eq!((again.message(), &again.details()["replayed"]), (first.message(), &json!(true)));
            }
            (first, again) => panic!("{first:?} {again:?}"),
        }
        assert_eq!(scene.calls.0.load(Ordering::SeqCst), 1);
        assert_eq!(call(3, false).await.is_err(), fails);
        let replayed: Vec<bool> = scene.audited.take().iter().map(|row| row.replayed).collect();
        assert_eq!(replayed, [false, true, true]);
        // What was not called before needs somebody.
        let other = scene.builder().approve(ApprovalLevel::SideEffect).build().unwrap();
        let error = scene.call(&other, at(3), Call::new("mail", json!({"text": "new"}))).await.unwrap_err();
        assert_eq!(error.code_str(), "approval_unavailable");
    }
}

#[tokio::test]
async fn a_call_with_a_key_of_its_caller_takes_no_number() {
    let scene = Scene::default();
    let process = scene.process();
    let ctx = ToolContext::builder().provide(scene.calls.clone()).at(at(1)).build();
    for call in [Call::new("send", json!({"text": "x"})), keyed("send", json!({"text": "x"}))] {
        process.call(call, &ctx, Caller::Test).await.unwrap();
    }
    let ordinals: Vec<u32> = scene.rows().await.iter().map(|row| row.ordinal).collect();
    assert_eq!(ordinals, [0, 0]);
}
