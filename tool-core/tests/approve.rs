//! Consent before a call: who is asked, for what, and what the answer is bound to. (calls.md §5)

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_core::journal::{Journal as _, MemoryJournal, RowQuery};
use tool_core::prelude::*;
use tool_core::{
    APPROVAL_LIFE, Approval, ApprovalId, ApprovalLevel, ApprovalRequest, ApprovalState, Approvals, Approver,
    BoxFuture, Call, Caller, Decision, Executor, JournalMode, MemoryApprovals, Registry, approval_hash,
};

/// Calls that reached a tool.
#[derive(Clone, Default)]
struct Ran(Arc<AtomicUsize>);

/// Deletes.
#[tool(destructive, idempotent, register = false, timeout = "200ms")]
async fn remove(
    /// What to delete.
    id: u64,
    #[ctx] ran: &Ran,
) -> u64 {
    ran.0.fetch_add(1, Ordering::Relaxed);
    id
}

/// Changes.
#[tool(side_effect, idempotent, register = false)]
fn change(#[ctx] ran: &Ran) {
    ran.0.fetch_add(1, Ordering::Relaxed);
}

/// Reads.
#[tool(register = false)]
fn look(#[ctx] ran: &Ran) {
    ran.0.fetch_add(1, Ordering::Relaxed);
}

/// Answers in order, after a while, and remembers what was asked.
struct Person {
    answers: Mutex<Vec<Decision>>,
    asked: Arc<Mutex<Vec<Value>>>,
    thinks: Duration,
}

impl Approver for Person {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        self.asked.lock().unwrap().push(json!([request.tool.name(), request.args]));
        let answer = self.answers.lock().unwrap().remove(0);
        Box::pin(async move {
            tokio::time::sleep(self.thinks).await;
            answer
        })
    }
}

struct Scene {
    executor: Executor,
    ctx: ToolContext,
    ran: Ran,
    asked: Arc<Mutex<Vec<Value>>>,
}

fn scene(level: ApprovalLevel, answers: Option<Vec<Decision>>, thinks: Duration) -> Scene {
    let registry =
        Registry::builder().add::<RemoveTool>().add::<ChangeTool>().add::<LookTool>().build().unwrap();
    let (ran, asked) = (Ran::default(), Arc::default());
    let mut builder = ToolContext::builder().provide(ran.clone());
    if let Some(answers) = answers {
        builder = builder.approver(Person { answers: answers.into(), asked: Arc::clone(&asked), thinks });
    }
    let executor = Executor::standard(registry).approve(level).build().unwrap();
    Scene { executor, ctx: builder.build(), ran, asked }
}

impl Scene {
    fn call(&self, tool: &str, args: Value) -> Result<(), String> {
        let result = self.executor.call_blocking(Call::new(tool, args), &self.ctx, Caller::Cli);
        result.map(drop).map_err(|error| error.code_str().to_owned())
    }

    fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }

    fn ran(&self) -> usize {
        self.ran.0.load(Ordering::Relaxed)
    }
}

fn deny() -> Decision {
    Decision::Deny { reason: None }
}

#[test]
fn what_the_level_does_not_cover_is_not_asked_for() {
    for (level, asked) in
        [(ApprovalLevel::Destructive, 1), (ApprovalLevel::SideEffect, 2), (ApprovalLevel::Always, 3)]
    {
        let scene = scene(level, Some(vec![Decision::AllowOnce; 3]), Duration::ZERO);
        for (tool, args) in [("remove", json!({"id": 1})), ("change", json!({})), ("look", json!({}))] {
            assert_eq!(scene.call(tool, args), Ok(()));
        }
        assert_eq!((scene.asked().len(), scene.ran()), (asked, 3), "{level:?}");
    }
}

#[test]
fn nobody_to_ask_and_a_no_run_nothing() {
    let alone = scene(ApprovalLevel::Destructive, None, Duration::ZERO);
    assert_eq!(alone.call("remove", json!({"id": 1})), Err("approval_unavailable".to_owned()));
    assert_eq!((alone.call("change", json!({})), alone.ran()), (Ok(()), 1));
    let refused = scene(ApprovalLevel::Destructive, Some(vec![deny()]), Duration::ZERO);
    assert_eq!(refused.call("remove", json!({"id": 1})), Err("approval_denied".to_owned()));
    assert_eq!(refused.ran(), 0);
}

#[test]
fn where_nobody_can_be_asked_it_is_said_why_somebody_should_be() {
    let alone = scene(ApprovalLevel::Always, None, Duration::ZERO);
    for (tool, args, why) in [
        ("remove", json!({"id": 1}), "is destructive"),
        ("change", json!({}), "has side effects"),
        ("look", json!({}), "needs approval"),
    ] {
        let error = alone.executor.call_blocking(Call::new(tool, args), &alone.ctx, Caller::Cli).unwrap_err();
        assert_eq!(error.message(), format!("{tool} {why}, and there is nobody to ask."));
        assert!(error.hint_str().unwrap().ends_with(&format!("for {tool} in the policy")));
    }
}

#[test]
fn nobody_is_asked_about_arguments_that_do_not_fit() {
    let scene = scene(ApprovalLevel::Destructive, Some(vec![Decision::AllowOnce]), Duration::ZERO);
    assert_eq!(scene.call("remove", json!({"id": "x"})), Err("invalid_args".to_owned()));
    assert_eq!(scene.asked().len(), 0);
    assert_eq!(scene.call("remove", json!({"id": "7"})), Ok(()));
    assert_eq!(scene.asked(), [json!(["remove", {"id": 7}])], "the normal form is asked for");
}

#[test]
fn always_is_for_exactly_these_arguments_and_once_for_one_call() {
    let answers = vec![Decision::AllowOnce, Decision::AllowAlways, deny()];
    let scene = scene(ApprovalLevel::Destructive, Some(answers), Duration::ZERO);
    assert_eq!(scene.call("remove", json!({"id": 1})), Ok(()));
    assert_eq!(scene.call("remove", json!({"id": 1})), Ok(()));
    assert_eq!(scene.call("remove", json!({"id": 1})), Ok(()));
    assert_eq!(scene.asked().len(), 2, "the third call is the second's");
    assert_eq!(scene.call("remove", json!({"id": 2})), Err("approval_denied".to_owned()));
    assert_eq!((scene.asked().len(), scene.ran()), (3, 3));
}

/// A store in which another process takes the one consent that both have seen.
#[derive(Default)]
struct Shared {
    seen: AtomicUsize,
    taken: AtomicUsize,
}

impl Approvals for Shared {
    fn find(&self, hash: &str) -> Result<Option<Approval>, ToolError> {
        let text = String::new;
        let approval = || Approval {
            id: ApprovalId("one".to_owned()),
            hash: hash.to_owned(),
            tenant: text(),
            agent: text(),
            tool: text(),
            args: json!({}),
            state: ApprovalState::Once,
            at_ms: tool_core::journal::now_ms(),
        };
        Ok((self.seen.fetch_add(1, Ordering::Relaxed) < 2).then(approval))
    }
    fn put(&self, _: Approval) -> Result<(), ToolError> {
        Ok(())
    }
    fn list(&self) -> Result<Vec<Approval>, ToolError> {
        Ok(Vec::new())
    }
    fn revoke(&self, _: &ApprovalId) -> Result<bool, ToolError> {
        Ok(self.taken.fetch_add(1, Ordering::Relaxed) == 0)
    }
}

#[test]
fn a_consent_that_another_call_has_taken_lets_no_second_one_pass() {
    let ran = Ran::default();
    let registry = Registry::builder().add::<RemoveTool>().build().unwrap();
    let executor = Executor::standard(registry).approve(ApprovalLevel::Destructive);
    let executor = executor.approvals(Shared::default(), [0; 32]).build().unwrap();
    let ctx = ToolContext::builder().provide(ran.clone()).build();
    let call = || executor.call_blocking(Call::new("remove", json!({"id": 1})), &ctx, Caller::Cli);
    assert!(call().is_ok());
    assert_eq!(call().unwrap_err().code_str(), "approval_unavailable");
    assert_eq!(ran.0.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_plan_says_whether_somebody_would_be_asked_and_asks_nobody() {
    let scene = scene(ApprovalLevel::Destructive, Some(vec![Decision::AllowAlways]), Duration::ZERO);
    let asks = async |tool: &str, args: Value| {
        scene.executor.plan(Call::new(tool, args), &scene.ctx, Caller::Cli).await.unwrap().asks
    };
    assert!(asks("remove", json!({"id": 1})).await);
    assert!(!asks("change", json!({})).await);
    assert_eq!(scene.asked().len(), 0);
    scene.executor.call(Call::new("remove", json!({"id": 1})), &scene.ctx, Caller::Cli).await.unwrap();
    assert!(!asks("remove", json!({"id": 1})).await);
    assert!(asks("remove", json!({"id": 2})).await);
}

#[test]
fn the_time_of_the_answer_is_not_the_tools() {
    let slow = Some(vec![Decision::AllowOnce]);
    let scene = scene(ApprovalLevel::Destructive, slow, Duration::from_millis(400));
    let began = Instant::now();
    assert_eq!(scene.call("remove", json!({"id": 1})), Ok(()), "its own limit is 200 ms");
    assert!(began.elapsed() >= Duration::from_millis(400));
}

#[tokio::test(start_paused = true)]
async fn a_question_ends_with_its_time_or_with_its_caller() {
    let late = scene(ApprovalLevel::Destructive, Some(vec![Decision::AllowOnce]), Duration::from_secs(301));
    let call = || Call::new("remove", json!({"id": 1}));
    let error = late.executor.call(call(), &late.ctx, Caller::Cli).await.unwrap_err();
    assert_eq!((error.code_str(), late.ran()), ("approval_timeout", 0));
    let gone = scene(ApprovalLevel::Destructive, Some(vec![Decision::AllowOnce]), Duration::from_secs(60));
    let ctx = gone.ctx.clone();
    tokio::spawn(async move { ctx.cancel() });
    let error = gone.executor.call(call(), &gone.ctx, Caller::Cli).await.unwrap_err();
    assert_eq!((error.kind(), gone.ran()), (tool_core::ErrorKind::Cancelled, 0));
}

#[test]
fn the_layer_is_there_only_when_asked_for() {
    let executor = scene(ApprovalLevel::Destructive, None, Duration::ZERO).executor;
    assert_eq!(executor.layers(), ["decode", "approve", "run"]);
    let bare = Executor::standard(executor.registry().clone()).build().unwrap();
    assert_eq!(bare.layers(), ["decode", "run"]);
    let ctx = ToolContext::builder().provide(Ran::default()).build();
    assert!(bare.call_blocking(Call::new("remove", json!({"id": 1})), &ctx, Caller::Test).is_ok());
}

#[test]
fn another_context_may_ask_the_same_people() {
    let theirs = scene(ApprovalLevel::Destructive, Some(vec![Decision::AllowOnce]), Duration::ZERO);
    let own = || ToolContext::builder().provide(theirs.ran.clone());
    for (ctx, expected) in [(own().asked_as(&theirs.ctx), Ok(())), (own(), Err("approval_unavailable"))] {
        let call = Call::new("remove", json!({"id": 1}));
        let result = theirs.executor.call_blocking(call, &ctx.build(), Caller::Cli);
        assert_eq!(result.as_ref().map(drop).map_err(|error| error.code_str()), expected);
    }
    assert_eq!((theirs.asked().len(), theirs.ran()), (1, 1));
}

/// Unlocks.
#[tool(destructive, idempotent, register = false)]
fn unlock(
    /// By which word, if any.
    #[arg(secret)]
    word: Option<String>,
) -> bool {
    word.is_some()
}

#[test]
fn consent_is_bound_to_a_secret_by_its_digest_and_to_none_by_nothing() {
    let registry = Registry::builder().add::<UnlockTool>().build().unwrap();
    let hash = |args: Value, key: u8| {
        approval_hash("acme", "bot", registry.get("unlock").unwrap(), &args, &[key; 32])
    };
    let word = |word: &str| json!({"word": word});
    assert_eq!(hash(word("a"), 1), hash(word("a"), 1));
    assert_ne!(hash(word("a"), 1), hash(word("b"), 1));
    assert_ne!(hash(word("a"), 1), hash(word("a"), 2), "another key");
    assert_eq!(hash(json!({"word": null}), 1), hash(json!({"word": null}), 2), "nothing is digested");
    assert_ne!(hash(json!({"word": null}), 1), hash(word("a"), 1));
}

/// Keeps consent, and a key for what is secret in it.
struct Keyed(MemoryApprovals);

impl Approvals for Keyed {
    fn find(&self, hash: &str) -> Result<Option<Approval>, ToolError> {
        self.0.find(hash)
    }
    fn put(&self, approval: Approval) -> Result<(), ToolError> {
        self.0.put(approval)
    }
    fn list(&self) -> Result<Vec<Approval>, ToolError> {
        self.0.list()
    }
    fn revoke(&self, id: &ApprovalId) -> Result<bool, ToolError> {
        self.0.revoke(id)
    }
    fn key(&self) -> Option<[u8; 32]> {
        Some([7; 32])
    }
}

#[test]
fn a_secret_is_digested_with_the_key_of_the_store_where_it_keeps_one() {
    let registry = || Registry::builder().add::<UnlockTool>().build().unwrap();
    let args = json!({"word": "abc"});
    let consented = |approvals: Arc<dyn Approvals>| {
        let executor = Executor::standard(registry())
            .approve(ApprovalLevel::Destructive)
            .approvals(Arc::clone(&approvals), [1; 32])
            .build()
            .unwrap();
        let answers = Mutex::new(vec![Decision::AllowAlways]);
        let person = Person { answers, asked: Arc::default(), thinks: Duration::ZERO };
        let ctx = ToolContext::builder().approver(person).build();
        executor.call_blocking(Call::new("unlock", args.clone()), &ctx, Caller::Cli).unwrap();
        let kept = approvals.list().unwrap().remove(0);
        (kept.hash, kept.agent)
    };
    let registry = registry();
    let tool = registry.get("unlock").unwrap();
    for (approvals, key) in [
        (Arc::new(Keyed(MemoryApprovals::default())) as Arc<dyn Approvals>, 7),
        (Arc::new(MemoryApprovals::default()), 1),
    ] {
        let (hash, agent) = consented(approvals);
        assert_eq!(hash, approval_hash("", &agent, tool, &args, &[key; 32]));
    }
}

#[test]
fn what_is_kept_is_over_after_its_life_unless_it_is_for_good_and_is_forgotten_when_it_is_revoked() {
    let approval = |id: &str, state: ApprovalState, at_ms: i64| Approval {
        id: ApprovalId(id.to_owned()),
        hash: format!("hash of {id}"),
        tenant: String::new(),
        agent: "bot".to_owned(),
        tool: "remove".to_owned(),
        args: json!({"id": 1}),
        state,
        at_ms,
    };
    let life = i64::try_from(APPROVAL_LIFE.as_millis()).unwrap();
    for (state, at_the_end, behind_it) in [
        (ApprovalState::Pending, false, true),
        (ApprovalState::Once, false, true),
        (ApprovalState::Always, false, false),
    ] {
        let kept = approval("ap_1", state, 1_000);
        assert_eq!(
            (kept.is_over(1_000 + life), kept.is_over(1_001 + life)),
            (at_the_end, behind_it),
            "{kept:?}"
        );
    }
    // What is shared answers as what it shares.
    let shared: Arc<MemoryApprovals> = Arc::default();
    shared.put(approval("ap_2", ApprovalState::Always, 1_000)).unwrap();
    assert!(shared.is_there());
    assert_eq!(Approvals::key(&shared), Approvals::key(&*shared));
    let id = ApprovalId("ap_2".to_owned());
    assert_eq!(id.to_string(), "ap_2");
    assert!(!shared.revoke(&ApprovalId("ap_3".to_owned())).unwrap());
    assert!(shared.find("hash of ap_2").unwrap().is_some());
    assert!(shared.revoke(&id).unwrap() && shared.find("hash of ap_2").unwrap().is_none());
}

#[test]
fn the_row_of_a_call_says_that_a_person_let_it_pass_where_nothing_else_is_said() {
    let journal = Arc::new(MemoryJournal::new());
    let registry = Registry::builder().add::<RemoveTool>().build().unwrap();
    let executor = Executor::standard(registry)
        .approve(ApprovalLevel::Destructive)
        .journal(journal.clone(), JournalMode::All, "test 1")
        .build()
        .unwrap();
    let (answers, asked) = (Mutex::new(vec![Decision::AllowOnce]), Arc::default());
    let person = Person { answers, asked, thinks: Duration::ZERO };
    let ctx = ToolContext::builder().provide(Ran::default()).approver(person).build();
    executor.call_blocking(Call::new("remove", json!({"id": 1})), &ctx, Caller::Cli).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let rows = runtime.block_on(journal.rows(&RowQuery::default())).unwrap();
    assert_eq!(rows[0].approved_by.as_deref(), Some("person"));
}
