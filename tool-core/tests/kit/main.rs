//! The kit: what its calls go through, what they show, and what fails the test that leaves something. (testing.md §1)

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests may fail the test"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tokio::sync::Notify;
use tool_core::dialect::DialectId;
use tool_core::prelude::*;
use tool_core::test::{Event, Fixture, Script, ToolKit, Tree, answer, hole, link, same_as};
use tool_core::{
    Call, Caller, Clock, Effect, Environment, ErrorKind, Progress, Question, Randomness, Registry, Reply,
    assert_issues, tree,
};

mod cassette;
mod items;
mod journal;
mod left;
mod time;
mod tries;

/// Adds numbers.
#[tool(register = false)]
fn add(
    /// One.
    one: u32,
    /// The other.
    #[arg(default = 1, range = 1..=9)]
    other: u32,
) -> u32 {
    one + other
}

/// How often something was deleted.
#[derive(Default)]
struct Deletions(AtomicU32);

/// Deletes something.
#[tool(register = false, destructive, idempotent = false)]
fn remove(
    /// What.
    id: u32,
    #[ctx] deletions: &Deletions,
) -> u32 {
    deletions.0.fetch_add(1, Ordering::SeqCst);
    id
}

/// Asks for a name, and works for a while.
#[tool(register = false)]
async fn sign(ctx: &ToolContext) -> Result<String, ToolError> {
    let who = Question::new("Who?").field("name", json!({"type": "string"}), true);
    let who = ctx.ask("who", who).await?;
    ctx.progress(Progress { done: 1.0, total: Some(2.0), message: Some("signing") });
    ctx.progress(Progress { done: 2.0, total: Some(2.0), message: None });
    Ok(who["name"].as_str().unwrap_or_default().to_owned())
}

/// Opens a door with a secret, and says so in its error.
#[tool(register = false, requires(secret = "DOOR_KEY"))]
fn unlock(
    /// The code of the door.
    #[arg(secret)]
    code: &str,
    /// Which door.
    door: &str,
    ctx: &ToolContext,
) -> Result<(), ToolError> {
    let key = ctx.secret("DOOR_KEY")?;
    let text = format!("{door} does not open with {code} and {}.", key.expose());
    Err(ToolError::failed(text).code("door_stuck").effect(Effect::None))
}

/// Tells the time: since the clock's beginning, and since 1970.
#[tool(register = false)]
fn now(#[ctx] clock: &dyn Clock) -> [u64; 2] {
    let wall = clock.wall().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    [clock.now().as_secs(), wall.as_secs()]
}

/// Rings after some time, and tells how often it has waited.
#[tool(register = false, timeout = "1h")]
async fn ring(
    /// Minutes to wait, one by one.
    minutes: u32,
    #[ctx] clock: &dyn Clock,
) -> Result<u32, ToolError> {
    for _ in 0..minutes {
        clock.sleep(Duration::from_secs(60)).await?;
    }
    Ok(minutes)
}

/// Rolls dice for whoever is set in the environment.
#[tool(register = false)]
fn roll(
    #[ctx] environment: &dyn Environment,
    #[ctx] randomness: &dyn Randomness,
) -> Result<(Option<String>, u64), ToolError> {
    Ok((environment.var("PLAYER"), randomness.below(6)? + 1))
}

/// Reads a variable.
#[tool(register = false)]
fn variable(
    /** Its name. */
    name: &str,
    #[ctx] environment: &dyn Environment,
) -> Option<String> {
    environment.var(name)
}

/// Whether a call has come to its tool.
#[derive(Default)]
struct Began(Notify);

/// Never ends.
#[tool(register = false)]
async fn wait(#[ctx] began: &Began) {
    began.0.notify_one();
    std::future::pending().await
}

fn registry() -> Registry {
    let tools =
        Registry::builder().add::<AddTool>().add::<RemoveTool>().add::<SignTool>().add::<UnlockTool>();
    tools
        .add::<NowTool>()
        .add::<RingTool>()
        .add::<RollTool>()
        .add::<VariableTool>()
        .add::<WaitTool>()
        .build()
        .unwrap()
}

fn kit() -> tool_core::test::KitBuilder {
    ToolKit::of(registry())
        .secret("DOOR_KEY", "key-canary-5f1c0f8a7e")
        .provide_new(Deletions::default)
        .provide_new(Began::default)
}

/// What a test fails with that drops something.
fn told<T>(value: T) -> String {
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(value)));
    *dropped.expect_err("nothing is told").downcast::<String>().unwrap()
}

#[test]
fn a_call_goes_through_the_whole_pipeline_and_a_bare_one_through_the_decoder_alone() {
    let kit = kit().build();
    let sum = kit.call_blocking("add", json!({"one": "2"})).unwrap();
    assert_eq!(sum.data(), 3);
    assert_eq!(
        serde_json::to_value(sum.notes()).unwrap(),
        json!([{"path": "/one", "rule": "string_to_integer"}])
    );
    for step in ["audit", "decode", "approve", "journal", "shape", "check", "run"] {
        assert!(sum.layers().contains(&step), "{step} is not in {:?}", sum.layers());
    }
    assert_eq!((sum.audit().unwrap().outcome, sum.audit().unwrap().caller), ("ok", "test"));
    let bare = kit.call_bare_blocking("add", json!({"one": 2, "other": 2})).unwrap();
    assert_eq!((bare.data(), bare.layers()), (json!(4), ["decode", "run"].as_slice()));
    assert!(bare.audit().is_none());
}

#[tokio::test]
async fn every_form_of_a_call_comes_to_the_same() {
    let kit = kit().build();
    let by_name = kit.call("add", json!({"one": 4})).await.unwrap();
    let by_handle: u32 = kit.tool(AddTool).arg("one", 4).run().await.unwrap().parse().unwrap();
    assert_eq!((by_name.data(), by_handle), (json!(5), 5));
    assert_eq!(kit.call_bare("add", json!({"one": 4})).await.unwrap().data(), 5);
    assert_eq!(kit.tool(AddTool).arg("one", 4).run_bare().await.unwrap().data(), 5);
    // A runtime around them does not disturb the blocking twins.
    assert_eq!(kit.call_blocking("add", json!({"one": 4})).unwrap().data(), 5);
    assert_eq!(kit.tool(AddTool).arg("one", 4).run_blocking().unwrap().data(), 5);
    kit.everywhere("add", json!({"one": 4})).await.assert_same().unwrap();
    kit.everywhere("add", json!({"one": -4})).blocking().assert_same().unwrap_err();
    assert_eq!(by_name.parse::<String>().unwrap_err().code_str(), "unexpected_data");
}

#[test]
fn a_model_calls_in_its_dialect_and_reads_the_result() {
    let kit = kit().build();
    for (dialect, _) in DialectId::ALL {
        let told = kit.dialect(dialect).call_blocking("add", r#"{"one": 4, "other": 10}"#);
        assert_issues!(told.result.unwrap_err(), ["/other range"]);
        assert!(json!(told.wire).to_string().contains("range"), "{dialect}: {:?}", told.wire);
        let told = kit.dialect(dialect).strict().call_blocking("add", r#"{"one": 4}"#);
        assert_eq!(told.result.unwrap().audit().unwrap().caller, "llm");
        // What has a default is null where a strict form has it required.
        let strict = kit.dialect(dialect).strict().call_encoded_blocking("add", &json!({"one": 4}));
        assert_eq!(strict.result.unwrap().data(), 5, "{dialect}");
    }
    let cut = kit.dialect(DialectId::OpenAiChat).call_blocking("add", r#"{"one": "#);
    assert_eq!(cut.result.unwrap_err().kind(), ErrorKind::InvalidArgs);
    let unknown = kit.dialect(DialectId::Gemini).call_blocking("ad", "{}");
    assert_eq!(unknown.result.unwrap_err().code_str(), "unknown_tool");
}

#[test]
fn answers_are_given_in_order_and_seen() {
    let kit = kit().answers([
        answer::yes("remove").with(|args| args["id"] == 1),
        answer::no("remove"),
        answer::to("who", json!({"name": "Ada"})),
        answer::decline("who"),
    ]);
    let kit = kit.build();
    kit.call_blocking("remove", json!({"id": 1})).unwrap();
    let refused = kit.call_blocking("remove", json!({"id": 2})).unwrap_err();
    assert_eq!(refused.code_str(), "approval_denied");
    let signed = kit.call_blocking("sign", json!({})).unwrap();
    assert_eq!((signed.data(), signed.progress()), (json!("Ada"), vec![(1.0, Some(2.0)), (2.0, Some(2.0))]));
    assert!(matches!(&signed.events()[0], Event::Question { key, .. } if key == "who"), "{signed:?}");
    assert_eq!(kit.call_blocking("sign", json!({})).unwrap_err().code_str(), "declined");
}

#[test]
fn what_is_left_fails_the_test_and_what_was_looked_at_does_not() {
    let unused = kit().answers([answer::yes("remove")]).build();
    assert!(told(unused).contains("nobody asked about remove"));
    let surprised = kit().build();
    surprised.call_blocking("remove", json!({"id": 7})).unwrap_err();
    assert!(told(surprised).contains("asked about remove with {\"id\":7}"));
    let wrong = kit().answers([answer::to("who", json!({"name": 5}))]).build();
    let _ = wrong.call_blocking("sign", json!({}));
    assert!(told(wrong).contains("the answer to `who` does not fit"));
    let forgiven = kit().answers([answer::yes("remove")]).build();
    assert_eq!(forgiven.script().forgive(), ["nobody asked about remove"]);
    drop(forgiven);

    struct Mailbox;
    impl Fixture for Mailbox {
        fn leftovers(&self) -> Vec<String> {
            vec!["a letter with key-canary-5f1c0f8a7e".to_owned()]
        }
    }
    let left = told(kit().fixture(|ctx| (ctx, Mailbox)).build());
    assert!(left.contains("a letter with [secret:DOOR_KEY]"), "{left}");
}

#[tokio::test]
async fn a_call_that_still_runs_fails_the_test() {
    let began = Arc::new(Began::default());
    let kit = kit().provide_arc(Arc::clone(&began)).build();
    let (executor, ctx) = (kit.executor().clone(), kit.context().clone());
    let running =
        tokio::spawn(async move { executor.call(Call::new("wait", json!({})), &ctx, Caller::Test).await });
    began.0.notified().await;
    assert!(told(kit).contains("1 calls still run"));
    running.abort();
}

#[test]
fn a_failed_assertion_shows_the_call_and_no_secret() {
    let kit = kit().build();
    let args = json!({"code": "code-canary-8812", "door": "front"});
    let refused = kit.call_blocking("unlock", args).unwrap_err();
    for shown in [format!("{refused:?}"), refused.to_string()] {
        assert!(
            shown.starts_with("unlock {\"code\":{\"$redacted\":\"secret\"},\"door\":\"front\"}"),
            "{shown}"
        );
        for part in ["failed/door_stuck", "layers: audit ▸ decode", "audited: failed", "[secret:DOOR_KEY]"]
        {
            assert!(shown.contains(part), "{part} is not in {shown}");
        }
        assert!(!shown.contains("canary"), "{shown}");
    }
    let refused = kit.call_blocking("unlock", json!({"code": "code-canary-8812"})).unwrap_err();
    assert!(!format!("{refused:?}").contains("canary"), "{refused:?}");
    assert_issues!(refused, ["/door missing"]);
    assert!(!format!("{:?}", kit).contains("canary"));
}

/// 2026-03-01T00:00:00Z.
const MARCH: u64 = 1_772_323_200;

#[test]
fn the_clock_moves_when_it_is_told() {
    let kit = kit().clock("2026-03-01T00:00:00Z").build();
    let told = |kit: &ToolKit| kit.call_blocking("now", json!({})).unwrap().data();
    assert_eq!(told(&kit), json!([0, MARCH]));
    kit.advance(Duration::from_secs(20));
    assert_eq!(told(&kit), json!([20, MARCH + 20]));
    kit.clock().put_wall("2026-02-28T23:59:00Z");
    assert_eq!(told(&kit), json!([20, MARCH - 60]));
    // Another kit of the recipe has a clock of its own.
    assert_eq!(told(&kit.another()), json!([0, MARCH]));
}

#[tokio::test]
async fn a_tool_sleeps_until_the_clock_is_moved() {
    let kit = kit().build();
    let call = kit.call("ring", json!({"minutes": 2}));
    let moved = async {
        for sleep in 1..=2 {
            kit.clock().asleep(1).await;
            assert_eq!(kit.io().len(), sleep);
            kit.advance(Duration::from_secs(60));
        }
    };
    let (rung, ()) = tokio::join!(call, moved);
    let rung = rung.unwrap();
    assert_eq!(rung.data(), 2);
    let slept = |event: &Event| matches!(event, Event::Access(io) if io.to_string() == "ring (call_1) clock: sleep 60s");
    assert_eq!(rung.events().iter().filter(|event| slept(event)).count(), 2, "{rung:?}");
}

#[test]
fn a_test_without_a_runtime_moves_the_clock_when_somebody_sleeps() {
    let kit = kit().build();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| kit.call_blocking("ring", json!({"minutes": 1})));
        kit.clock().asleep_blocking(1);
        kit.advance(Duration::from_secs(60));
        assert_eq!(call.join().unwrap().unwrap().data(), 1);
    });
}

#[tokio::test]
async fn a_sleep_ends_with_the_call_that_sleeps() {
    let kit = kit().build();
    let ctx = kit.context().to_builder().cancellation(tokio_util::sync::CancellationToken::new()).build();
    let call = kit.executor().call(Call::new("ring", json!({"minutes": 1})), &ctx, Caller::Test);
    let cancelled = async {
        kit.clock().asleep(1).await;
        ctx.cancel();
    };
    let (ended, ()) = tokio::join!(call, cancelled);
    assert_eq!(ended.unwrap_err().kind(), ErrorKind::Cancelled);
    // The task of a recorded call ends after its caller is told.
    let woken = async {
        while kit.clock().sleepers() > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(tool_trials::patience(), woken).await.expect("the tool does not sleep any more");
}

#[test]
fn nobody_waits_in_a_kit_that_hurries() {
    let kit = kit().hurry().build();
    assert_eq!(kit.everywhere("ring", json!({"minutes": 60})).blocking().assert_same().unwrap().data(), 60);
    assert_eq!(kit.call_blocking("ring", json!({"minutes": 60})).unwrap().data(), 60);
    assert_eq!(kit.clock().now(), Duration::from_secs(3_600));
}

#[test]
fn numbers_follow_from_their_seed_or_are_written_down() {
    let rolled = |kit: &ToolKit| kit.call_blocking("roll", json!({})).unwrap().data();
    let seeded = kit().rng(7).env([("PLAYER", "Ada")]).build();
    let first = rolled(&seeded);
    assert_eq!(first[0], "Ada");
    assert_eq!(
        (rolled(&seeded.another()), rolled(&kit().rng(7).build())[1].clone()),
        (first.clone(), first[1].clone())
    );
    assert_eq!(seeded.rng().seed_drawn(), Some(7));
    let scripted = kit().rng_script([2, 5]).build();
    assert_eq!([rolled(&scripted), rolled(&scripted)], [json!([null, 3]), json!([null, 6])]);
    assert_eq!(scripted.env().missed(), ["PLAYER"]);
    let failed = scripted.call_blocking("roll", json!({})).unwrap_err();
    assert_eq!((failed.kind(), failed.code_str()), (ErrorKind::Internal, "not_scripted"));
    assert!(told(scripted).contains("a number more than written down by roll (call_3)"));
    assert!(told(kit().rng_script([1]).build()).contains("nobody drew the number 1"));
}

#[test]
fn a_secret_is_in_no_environment_of_a_tool() {
    let kit = kit().env([("DOOR_KEY", "key-canary-5f1c0f8a7e"), ("LANG", "C")]).build();
    let read = |name: &str| kit.call_blocking("variable", json!({"name": name})).unwrap().data();
    assert_eq!((read("LANG"), read("DOOR_KEY"), read("PAGER")), (json!("C"), Value::Null, Value::Null));
    assert_eq!(kit.env().missed(), ["PAGER"]);
}

#[test]
fn a_kit_that_lacks_what_a_tool_needs_cannot_be_made() {
    let made = catch_unwind(|| ToolKit::of(Registry::builder().add::<WaitTool>().build().unwrap()).build());
    let told = *made.expect_err("it is made").downcast::<String>().unwrap();
    assert!(told.contains("`wait`") && told.contains("Began"), "{told}");
}

#[test]
fn kits_of_one_recipe_share_only_what_is_provided_as_a_value() {
    let shared = Arc::new(Deletions::default());
    let kit = ToolKit::of(Registry::builder().add::<RemoveTool>().build().unwrap())
        .provide_arc(Arc::clone(&shared))
        .answers([answer::always("remove")])
        .build();
    let other = kit.another();
    kit.call_blocking("remove", json!({"id": 1})).unwrap();
    // Consent for good is the kit's own.
    kit.call_blocking("remove", json!({"id": 1})).unwrap();
    other.call_blocking("remove", json!({"id": 1})).unwrap();
    assert_eq!(shared.0.load(Ordering::SeqCst), 3);
    assert_eq!((kit.audit().len(), other.audit().len()), (2, 1));
}

#[test]
fn a_tree_is_written_read_and_compared() {
    let tree = tree! {
        "a.txt": "hi",
        "d": { "b": b"\xff", "c/": {} },
        "l": link("a.txt"),
        "h": hole(1 << 20),
        b"\xe9": String::from("not UTF-8"),
    };
    let directory = tool_core::test::TemporaryDirectory::with(&tree).unwrap();
    assert_eq!(directory.tree().unwrap(), tree);
    assert_eq!((tree.file("d/b"), tree.file("l"), tree.paths().len()), (Some(b"\xff".as_slice()), None, 7));
    std::fs::write(directory.path().join("a.txt"), "ho").unwrap();
    assert_ne!(directory.tree().unwrap(), tree);
    assert_ne!(directory.picture(), Value::Null);

    let names = tool_core::test::TemporaryDirectory::with(&tree! { "a": "x", "b": same_as("a") }).unwrap();
    std::fs::write(names.path().join("b"), "y").unwrap();
    assert_eq!(names.tree().unwrap(), tree! { "a": "y", "b": "y" });
    for wrong in ["", "/a", "a//b", "a/../b", "./a"] {
        let added = catch_unwind(|| Tree::new().add(wrong, "x"));
        assert!(added.is_err(), "{wrong:?} is taken");
    }
}

#[test]
fn a_directory_is_kept_and_named_where_the_test_fails() {
    let path = std::sync::Mutex::new(None);
    let failed = catch_unwind(AssertUnwindSafe(|| {
        let directory = tool_core::test::TemporaryDirectory::new().unwrap();
        *path.lock().unwrap() = Some(directory.path().to_owned());
        panic!("on purpose");
    }));
    assert!(failed.is_err());
    let path = path.into_inner().unwrap().unwrap();
    assert!(path.is_dir(), "{} is gone", path.display());
    std::fs::remove_dir_all(path).unwrap();
}

#[test]
fn a_call_by_its_handle_may_go_past_every_layer() {
    let kit = ToolKit::of(Registry::builder().add::<RemoveTool>().build().unwrap())
        .provide(Deletions::default())
        .answers([answer::no("remove")])
        .build();
    let call = || kit.tool(RemoveTool).arg("id", 7);
    assert_eq!(call().run_bare_blocking().unwrap().into_inner().data(), json!(7));
    assert_eq!(call().run_blocking().unwrap_err().into_inner().code_str(), "approval_denied");
}

#[test]
fn a_model_calls_what_changes_something_as_often_as_it_likes() {
    let kit = kit().answers([answer::yes("remove"), answer::yes("remove")]).build();
    for dialect in [DialectId::OpenAiChat, DialectId::Gemini] {
        let model = kit.dialect(dialect);
        assert_eq!(model.call_blocking("add", r#"{"one": 1}"#).result.unwrap().data(), 2);
        assert_eq!(model.call_blocking("remove", r#"{"id": 7}"#).result.unwrap().data(), 7);
    }
    let ids: Vec<String> = kit.audit().into_iter().map(|row| row.call_id).collect();
    assert_eq!(ids, ["call_1", "call_2", "call_3", "call_4"]);
}

#[test]
fn what_a_failed_call_shows_hides_what_may_be_a_secret_under_a_wrong_name() {
    let kit = kit().secret("DOOR_KEY", "key-canary-5f1c0f8a7e").build();
    let refused = kit.call_blocking("unlock", json!({"cod": "hunter2hunter2", "door": "front"})).unwrap_err();
    let shown = format!("{refused:?}");
    assert!(!shown.contains("hunter2") && shown.contains("front"), "{shown}");
}

#[test]
fn an_answer_to_something_else_stays_and_is_named() {
    let wrong = kit().answers([answer::yes("remove").with(|args| args["id"] == 1)]).build();
    wrong.call_blocking("remove", json!({"id": 2})).unwrap_err();
    let told = told(wrong);
    assert!(told.contains("asked about remove with {\"id\":2}; the next answer is for remove"), "{told}");
    assert!(told.contains("nobody asked about remove"), "{told}");

    let script = Script::of([answer::yes("remove"), answer::to("who", json!({}))]);
    assert!(matches!(script.next("Run remove_all with {}?"), Reply::Declined));
    assert!(matches!(script.next("Run `remove` with {}?"), Reply::Accepted(_)));
    assert!(matches!(script.next("Who?"), Reply::Accepted(_)));
    assert!(matches!(script.next("Who else?"), Reply::Declined));
    assert_eq!(
        script.forgive(),
        [
            "asked: Run remove_all with {}?; the next answer is for remove",
            "asked: Who else?; no answer is left"
        ]
    );
}

#[test]
fn a_question_that_is_broken_off_cancels_the_call() {
    let kit = kit().answers([answer::cancel("who")]).build();
    assert_eq!(kit.call_blocking("sign", json!({})).unwrap_err().kind(), ErrorKind::Cancelled);
}

#[test]
fn what_was_wrong_is_asserted_where_a_value_could_stand() {
    let kit = kit().build();
    match kit.call_as_blocking(Call::new("add", json!({"one": "x"})), Caller::Llm) {
        Ok(sum) => panic!("{sum:?}"),
        Err(error) => assert_issues!(error, ["/one type"]),
    }
}
