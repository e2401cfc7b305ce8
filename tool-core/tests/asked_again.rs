//! What stands between a call and an effect that may happen twice: who is asked, what is kept of the answer, and what the
//! journal refuses. (journal.md §4, §7)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at what it cannot build")]

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::journal::{Journal as _, MemoryJournal, Row, RowQuery, Status, Task};
use tool_core::metrics::Metric;
use tool_core::prelude::*;
use tool_core::{
    ApprovalId, ApprovalLevel, ApprovalRequest, ApprovalState, Approvals as _, Approver, BoxFuture, Call,
    Caller, Coordinates, Decision, Effect, ErrorKind, Executor, ExecutorBuilder, Invocation, JournalMode,
    Layer, MemoryApprovals, Metrics, Next, Registry,
};

/// What was posted.
#[derive(Clone, Default)]
struct Posted(Arc<Mutex<Vec<String>>>);

impl Posted {
    fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

/// Posts, and nobody can tell afterwards.
#[tool(side_effect, idempotent = false, register = false)]
fn post(
    /// What.
    text: &str,
    #[ctx] posted: &Posted,
) -> Result<(), ToolError> {
    if text == "nothing" {
        return Err(ToolError::not_found("There is nothing to post.").effect(Effect::None));
    }
    posted.0.lock().unwrap().push(text.to_owned());
    Ok(())
}

/// Shouts, and nobody can tell afterwards either.
#[tool(side_effect, idempotent = false, register = false)]
fn shout(
    /// What.
    text: &str,
    #[ctx] posted: &Posted,
) {
    posted.0.lock().unwrap().push(text.to_uppercase());
}

/// Keeps count of its calls, and ends each as it is told to.
#[tool(side_effect, idempotent, register = false)]
fn fussy(#[ctx] posted: &Posted) -> Result<usize, ToolError> {
    posted.0.lock().unwrap().push("fussy".to_owned());
    match posted.count() {
        1 => Err(ToolError::not_found("Not yet.")),
        2 => Err(ToolError::cancelled("Not now.")),
        count => Ok(count),
    }
}

/// Gives one answer, and counts the questions.
struct Answers(Decision, Arc<AtomicU32>);

impl Approver for Answers {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        self.1.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::ready(self.0.clone()))
    }

    fn name(&self) -> &str {
        "flag"
    }
}

/// A run in which another process has posted already.
struct Scene {
    journal: MemoryJournal,
    posted: Posted,
}

impl Scene {
    async fn new() -> Scene {
        let scene = Scene { journal: MemoryJournal::new(), posted: Posted::default() };
        let first = scene.builder().build().unwrap();
        first.call(post_of("first"), &scene.ctx(None), Caller::Test).await.unwrap();
        scene
    }

    /// A process: an owner of its own.
    fn builder(&self) -> ExecutorBuilder {
        let registry =
            Registry::builder().add::<PostTool>().add::<FussyTool>().add::<ShoutTool>().build().unwrap();
        Executor::standard(registry).journal(Arc::new(self.journal.another()), JournalMode::All, "demo 1.0")
    }

    fn ctx(&self, answer: Option<(Decision, &Arc<AtomicU32>)>) -> ToolContext {
        let ctx = ToolContext::builder().provide(self.posted.clone()).at(Coordinates::new("run"));
        match answer {
            Some((decision, asked)) => ctx.approver(Answers(decision, Arc::clone(asked))).build(),
            None => ctx.build(),
        }
    }

    async fn rows(&self) -> Vec<Row> {
        self.journal.rows(&RowQuery::default()).await.unwrap()
    }
}

fn post_of(text: &str) -> Call {
    Call::new("post", json!({"text": text}))
}

#[tokio::test]
async fn only_a_yes_and_a_no_are_kept_at_the_replay_gate() {
    let scene = Scene::new().await;
    let asked = Arc::new(AtomicU32::new(0));
    let task = Task { run_id: "run".to_owned(), ..Task::default() };
    for (nth, (decision, code)) in (1..).zip([
        (Decision::Suspended, "input_required"),
        (Decision::Unavailable { hint: "elsewhere".to_owned() }, "confirmation_unavailable"),
        (Decision::Pending(ApprovalId("ap_1".to_owned())), "approval_pending"),
        (Decision::Cancelled, "cancelled"),
    ]) {
        let executor = scene.builder().build().unwrap();
        let ctx = scene.ctx(Some((decision, &asked)));
        let error = executor.call(post_of("second"), &ctx, Caller::Mcp).await.unwrap_err();
        assert_eq!((error.code_str(), &error.details()["layer"]), (code, &json!("journal")));
        assert_eq!((asked.load(Ordering::SeqCst), scene.posted.count()), (nth, 1), "{code}");
        assert_eq!(scene.journal.consents(&task).await.unwrap(), [], "{code}");
    }
    let yes = scene.ctx(Some((Decision::AllowAlways, &asked)));
    let approvals = Arc::new(MemoryApprovals::default());
    let executor = scene.builder().approvals(Arc::clone(&approvals), [0; 32]).build().unwrap();
    executor.call(post_of("second"), &yes, Caller::Mcp).await.unwrap();
    executor.call(post_of("third"), &yes, Caller::Mcp).await.unwrap();
    assert_eq!((asked.load(Ordering::SeqCst), scene.posted.count()), (5, 3), "one answer for the attempt");
    assert_eq!(approvals.list().unwrap(), [], "nobody consents to a repeat for good");
    let rows = scene.rows().await;
    let by: Vec<Option<&str>> = rows.iter().map(|row| row.approved_by.as_deref()).collect();
    assert_eq!(by, [None, Some("flag"), None]);
}

#[tokio::test]
async fn a_repeat_that_was_parked_passes_when_somebody_has_allowed_it() {
    let scene = Scene::new().await;
    let asked = Arc::new(AtomicU32::new(0));
    let approvals = Arc::new(MemoryApprovals::default());
    let executor = scene.builder().approvals(Arc::clone(&approvals), [0; 32]).build().unwrap();
    let id = ApprovalId("ap_1".to_owned());
    let ctx = scene.ctx(Some((Decision::Pending(id.clone()), &asked)));
    for _ in 0..2 {
        let error = executor.call(post_of("second"), &ctx, Caller::Mcp).await.unwrap_err();
        assert_eq!((error.code_str(), &error.details()["approval_id"]), ("approval_pending", &json!("ap_1")));
    }
    let parked = approvals.list().unwrap();
    let question = parked[0].args["$question"].as_str().unwrap();
    assert!(question.contains("post (attempt 1, seq 1)"), "{question}");
    approvals.decide(&id, ApprovalState::Once).unwrap();
    executor.call(post_of("second"), &ctx, Caller::Mcp).await.unwrap();
    assert_eq!((asked.load(Ordering::SeqCst), scene.posted.count()), (1, 2));
    let rows = scene.rows().await;
    let admitted = (rows[1].approved_by.as_deref(), rows[1].approval_id.as_deref());
    assert_eq!(admitted, (Some("later"), Some("ap_1")));
}

#[tokio::test]
async fn nobody_to_ask_is_told_what_to_look_at() {
    let scene = Scene::new().await;
    let executor = scene.builder().build().unwrap();
    let error = executor.call(post_of("second"), &scene.ctx(None), Caller::Test).await.unwrap_err();
    assert_eq!(error.code_str(), "approval_unavailable");
    let hint = error.hint_str().unwrap();
    assert_eq!(hint, "run with --yes, or look at the earlier calls: demo journal list --run RUN");
}

#[tokio::test]
async fn at_the_replay_gate_stands_what_this_tool_did_at_this_place_and_nothing_else() {
    let scene = Scene::new().await;
    let call = async |at: Coordinates, call: Call| {
        let executor = scene.builder().build().unwrap();
        let ctx = ToolContext::builder().provide(scene.posted.clone()).at(at).build();
        let result = executor.call(call, &ctx, Caller::Test).await;
        result.map(|output| output.meta.contains_key("replayed")).map_err(|error| error.code_str().to_owned())
    };
    let stopped = || Err("approval_unavailable".to_owned());
    let here = || Coordinates::new("run");
    assert_eq!(call(here(), post_of("second")).await, stopped());
    assert_eq!(call(here().attempt(2), post_of("second")).await, stopped());
    for elsewhere in [
        here().node("other"),
        here().iteration(1),
        here().tenant("other"),
        Coordinates::new("other"),
        Coordinates::new(""),
    ] {
        assert_eq!(call(elsewhere.clone(), post_of("second")).await, Ok(false), "{elsewhere:?}");
    }
    // What another tool does is for that one, and what is safe to repeat is not asked about.
    assert_eq!(call(here(), Call::new("shout", json!({"text": "x"}))).await, Ok(false));
    assert_eq!(call(here(), Call::new("fussy", json!({}))).await, Ok(false));
    // The outcome of the very call is repeated.
    assert_eq!(call(here().attempt(2), post_of("first")).await, Ok(true));
}

#[tokio::test]
async fn a_call_that_did_nothing_is_no_outcome_to_repeat_and_meets_the_gate() {
    let scene = Scene::new().await;
    let asked = Arc::new(AtomicU32::new(0));
    let yes = scene.ctx(Some((Decision::AllowOnce, &asked)));
    let executor = scene.builder().build().unwrap();
    let error = executor.call(post_of("nothing"), &yes, Caller::Test).await.unwrap_err();
    assert_eq!((error.kind(), asked.load(Ordering::SeqCst)), (ErrorKind::NotFound, 1));
    let later = Coordinates::new("run").attempt(2);
    let ctx = ToolContext::builder().provide(scene.posted.clone()).at(later).build();
    let error =
        scene.builder().build().unwrap().call(post_of("nothing"), &ctx, Caller::Test).await.unwrap_err();
    assert_eq!(error.code_str(), "approval_unavailable");
    assert_eq!(error.effect_value(), Some(Effect::None));
}

#[tokio::test]
async fn a_refusal_at_the_gate_says_so_and_that_nothing_was_done() {
    let scene = Scene::new().await;
    let asked = Arc::new(AtomicU32::new(0));
    let no = scene.ctx(Some((Decision::Deny { reason: None }, &asked)));
    let executor = scene.builder().build().unwrap();
    for _ in 0..2 {
        let error = executor.call(post_of("second"), &no, Caller::Test).await.unwrap_err();
        assert_eq!((error.code_str(), error.message()), ("replay_denied", "Repeating post was not allowed."));
        assert_eq!(error.effect_value(), Some(Effect::None));
    }
    assert_eq!((asked.load(Ordering::SeqCst), scene.posted.count()), (1, 1));
}

/// Counts decisions and refusals.
#[derive(Default)]
struct Counted(Mutex<Vec<(String, String)>>);

impl Metrics for Counted {
    fn record(&self, metric: &Metric, _: f64, attributes: &[(&'static str, &str)]) {
        let values: Vec<&str> = attributes.iter().map(|attribute| attribute.1).collect();
        self.0.lock().unwrap().push((metric.name.to_owned(), values.join(" ")));
    }
}

/// Refuses, as a rule or as a person.
struct Refuses {
    asks: bool,
    asked: Arc<AtomicU32>,
}

impl Approver for Refuses {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::ready(Decision::Suspended))
    }

    fn asks(&self, _: &ApprovalRequest<'_>) -> bool {
        self.asks
    }
}

#[tokio::test]
async fn only_questions_of_models_to_a_person_are_counted() {
    let most = u32::try_from(tool_core::QUESTIONS_MAX).unwrap();
    for (caller, asks, expected) in
        [(Caller::Llm, true, most), (Caller::Llm, false, most + 5), (Caller::Cli, true, most + 5)]
    {
        let scene = Scene::new().await;
        let asked = Arc::new(AtomicU32::new(0));
        let executor = scene.builder().build().unwrap();
        let approver = Refuses { asks, asked: Arc::clone(&asked) };
        let ctx = ToolContext::builder().provide(scene.posted.clone()).at(Coordinates::new("run"));
        let ctx = ctx.approver(approver).build();
        for _ in 0..most + 5 {
            executor.call(post_of("second"), &ctx, caller).await.unwrap_err();
        }
        assert_eq!(asked.load(Ordering::SeqCst), expected, "{caller:?} {asks}");
    }
}

/// Consents when the caller is gone already.
struct TooLate(tokio_util::sync::CancellationToken);

impl Approver for TooLate {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(async {
            self.0.cancel();
            Decision::AllowOnce
        })
    }
}

#[tokio::test]
async fn an_answer_for_a_caller_that_is_gone_is_none() {
    let scene = Scene::new().await;
    let gone = tokio_util::sync::CancellationToken::new();
    let ctx = ToolContext::builder().provide(scene.posted.clone()).at(Coordinates::new("run"));
    let ctx = ctx.cancellation(gone.clone()).approver(TooLate(gone)).build();
    let executor = scene.builder().build().unwrap();
    let error = executor.call(post_of("second"), &ctx, Caller::Llm).await.unwrap_err();
    assert_eq!((error.kind(), &error.details()["layer"]), (ErrorKind::Cancelled, &json!("journal")));
    assert_eq!(scene.posted.count(), 1);
    let task = Task { run_id: "run".to_owned(), ..Task::default() };
    assert_eq!(scene.journal.consents(&task).await.unwrap(), []);
}

#[tokio::test]
async fn questions_of_the_replay_gate_are_measured_and_do_not_wear_a_person_down() {
    let scene = Scene::new().await;
    let (asked, counted) = (Arc::new(AtomicU32::new(0)), Arc::new(Counted::default()));
    let executor = scene.builder().metrics(counted.clone()).build().unwrap();
    let ctx = scene.ctx(Some((Decision::Suspended, &asked)));
    let mut codes = Vec::new();
    for _ in 0..32 {
        let error = executor.call(post_of("second"), &ctx, Caller::Llm).await.unwrap_err();
        codes.push(error.code_str().to_owned());
    }
    assert_eq!(codes.iter().filter(|code| *code == "input_required").count(), tool_core::QUESTIONS_MAX);
    assert_eq!(codes[31], "approval_flood");
    let counted = counted.0.lock().unwrap();
    let has = |name: &str, value: &str| counted.contains(&(name.to_owned(), value.to_owned()));
    assert!(has("toolbox.approval.decisions", "suspended"), "{counted:?}");
    assert!(has("toolbox.call.refusals", "journal approval_flood"), "{counted:?}");
}

#[tokio::test]
async fn what_the_journal_refuses_names_it() {
    let scene = Scene::new().await;
    let executor = scene.builder().build().unwrap();
    let ctx = ToolContext::builder().provide(scene.posted.clone()).build();
    let keyed = |text| Call { idempotency_key: Some("k".to_owned()), ..post_of(text) };
    executor.call(keyed("a"), &ctx, Caller::Test).await.unwrap();
    let error = executor.call(keyed("b"), &ctx, Caller::Test).await.unwrap_err();
    assert_eq!((error.code_str(), &error.details()["layer"]), ("idempotency_conflict", &json!("journal")));
}

/// Makes the same call elsewhere, once, when a call has been let pass.
struct Meddles(Executor, ToolContext, AtomicBool);

fn keyed() -> Call {
    Call { idempotency_key: Some("k".to_owned()), ..Call::new("fussy", json!({})) }
}

impl Layer for Meddles {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            if !self.2.swap(true, Ordering::SeqCst) {
                let elsewhere = self.0.call(keyed(), &self.1, Caller::Test).await;
                assert_eq!(elsewhere.unwrap_err().code_str(), "cancelled");
            }
            next.run(inv).await
        })
    }
}

#[tokio::test]
async fn a_call_whose_recorded_outcome_goes_meanwhile_goes_through_all_steps_again() {
    let scene = Scene { journal: MemoryJournal::new(), posted: Posted::default() };
    let asked = Arc::new(AtomicU32::new(0));
    let ctx = scene.ctx(Some((Decision::AllowOnce, &asked)));
    let builder = || scene.builder().approve(ApprovalLevel::SideEffect);
    let first = builder().build().unwrap();
    assert_eq!(first.call(keyed(), &ctx, Caller::Test).await.unwrap_err().code_str(), "not_found");
    // A later attempt takes the place of that outcome while this call is on its way to it.
    let later = Coordinates::new("run").attempt(2);
    let later = ToolContext::builder().provide(scene.posted.clone()).at(later).build();
    let meddles = Meddles(scene.builder().build().unwrap(), later, AtomicBool::new(false));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let executor = builder().before("journal", meddles).build().unwrap();
    let output = executor.call(keyed(), &ctx, Caller::Test).await.unwrap();
    assert_eq!((output.data(), scene.posted.count()), (json!(3), 3));
    assert_eq!(asked.load(Ordering::SeqCst), 2, "what runs after all is asked about");
    let again: Value = executor.call(keyed(), &ctx, Caller::Test).await.unwrap().meta["replayed"].clone();
    assert_eq!((again, scene.posted.count()), (json!(true), 3));
    let ok = scene.rows().await.into_iter().filter(|row| row.status == Status::Ok && row.replay_of.is_none());
    assert_eq!(ok.count(), 1);
}
