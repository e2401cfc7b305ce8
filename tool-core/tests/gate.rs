//! The gate on the way of calls: what is hidden is neither listed, called nor described. (calls.md §3)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

#[cfg(not(feature = "limit"))]
mod policy_of_one;

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::def::{Surface, Surfaces};
use tool_core::prelude::*;
use tool_core::{
    Agent, AskAgent, Behavior, BoxFuture, Call, Caller, DynTool, ErrorKind, Executor, Pattern, Reason,
    Registry, Row, RowSource, Runtime, Snapshot, SnapshotBuilder, explain, spawn_subset,
};

/// Sends a mail.
#[tool(
    side_effect,
    idempotent = false,
    group = "mail",
    tags = ["outbound"],
    requires(secret = "SMTP_URL"),
    register = false
)]
fn send_email(
    /// To whom.
    recipient: &str,
) -> String {
    recipient.to_owned()
}

/// Adds.
#[tool(tags = ["math"], register = false)]
fn add(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    a + b
}

/// Only for people.
#[tool(surfaces(cli), register = false)]
fn clean() {}

/// Starts sub-agents.
#[tool(tags = ["agent"], side_effect, idempotent = false, register = false)]
fn spawn(
    /// What to do.
    task: &str,
) -> String {
    task.to_owned()
}

/// Of a harness.
#[tool(tags = ["harness:room"], register = false)]
fn room_done() {}

fn registry() -> Registry {
    Registry::builder()
        .add::<SendEmailTool>()
        .add::<AddTool>()
        .add::<CleanTool>()
        .add::<SpawnTool>()
        .add::<RoomDoneTool>()
        .build()
        .unwrap()
}

fn gated(snapshot: SnapshotBuilder) -> (Executor, Arc<Snapshot>) {
    let registry = registry();
    let snapshot = Arc::new(snapshot.build(&registry).unwrap());
    (Executor::standard(registry).gate(Arc::clone(&snapshot)).build().unwrap(), snapshot)
}

fn call(executor: &Executor, tool: &str, args: Value, caller: Caller) -> tool_core::ToolResult {
    executor.call_blocking(Call::new(tool, args), &ToolContext::empty(), caller)
}

#[test]
fn a_hidden_tool_called_with_wrong_arguments_is_denied_and_describes_no_parameter() {
    for (surface, caller) in
        [(Surface::Llm, Caller::Llm), (Surface::Cli, Caller::Cli), (Surface::Mcp, Caller::Mcp)]
    {
        let none = Snapshot::builder("bot").surface(Some(surface));
        let (executor, _) = gated(none.clone());
        let error = call(&executor, "send_email", json!({"recipientt": 5}), caller).unwrap_err();
        assert_eq!((error.kind(), error.code_str()), (ErrorKind::Denied, "tool_not_enabled"));
        assert_eq!(error.details()["layer"], "gate");
        assert!(!error.to_json().to_string().contains("recipient"), "{error}");

        let (executor, _) = gated(none.row("send_email", RowSource::Manual).secret("SMTP_URL"));
        let error = call(&executor, "send_email", json!({"recipientt": 5}), caller).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgs);
        assert!(error.to_json().to_string().contains("recipient"), "{error}");
        let sent = call(&executor, "send_email", json!({"recipient": "ann"}), caller).unwrap();
        assert_eq!(sent.data(), json!("ann"));
    }
}

#[test]
fn a_row_that_excludes_wins_over_every_row_that_grants() {
    for (rows, allowed) in [
        (&["add"][..], true),
        (&["*", "!spawn"], true),
        (&["add", "!add"], false),
        (&["!add", "add"], false),
        (&["*", "!a*"], false),
        (&["add", "!tag:math"], false),
    ] {
        let snapshot = Snapshot::builder("bot");
        let snapshot = rows.iter().fold(snapshot, |snapshot, row| snapshot.row(*row, RowSource::Manual));
        let (executor, snapshot) = gated(snapshot);
        let listed = executor.visible(&snapshot).iter().any(|tool| tool.name() == "add");
        let result = call(&executor, "add", json!({"a": 1, "b": 2}), Caller::Llm);
        assert_eq!((listed, result.is_ok()), (allowed, allowed), "{rows:?}");
        let code = result.err().map(|error| error.code_str().to_owned());
        assert_eq!(code, (!allowed).then(|| "tool_excluded".to_owned()), "{rows:?}");
    }
}

#[test]
fn a_missing_secret_makes_a_tool_misconfigured_and_is_not_named_to_callers() {
    let row = Snapshot::builder("bot").row("send_email", RowSource::Manual);
    let (executor, snapshot) = gated(row.clone());
    let error = call(&executor, "send_email", json!({}), Caller::Mcp).unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::NotConfigured, "tool_secret_missing"));
    assert!(!error.to_json().to_string().contains("SMTP_URL"), "{error}");
    let registry = registry();
    let why = explain(registry.get("send_email").unwrap(), &snapshot);
    assert_eq!(why[0].to_json(), json!({"reason": "secret_missing", "secrets": ["SMTP_URL"]}));
    let (executor, _) = gated(row.secret("SMTP_URL"));
    assert!(call(&executor, "send_email", json!({"recipient": "ann"}), Caller::Mcp).is_ok());
}

#[test]
fn only_visible_names_are_suggested() {
    let (executor, _) = gated(Snapshot::builder("bot").row("add", RowSource::Manual));
    let hint = |name: &str| {
        let error = call(&executor, name, json!({}), Caller::Llm).unwrap_err();
        assert_eq!(error.code_str(), "unknown_tool");
        error.hint_str().map(str::to_owned)
    };
    assert_eq!(hint("addd").as_deref(), Some("did you mean: add?"));
    assert_eq!(hint("send_mail"), None);
}

#[test]
fn without_a_source_of_snapshots_the_registry_is_the_enablement() {
    let executor = Executor::standard(registry()).build().unwrap();
    assert_eq!(executor.layers(), ["decode", "run"]);
    assert_eq!(call(&executor, "add", json!({"a": 1, "b": 2}), Caller::Llm).unwrap().data(), json!(3));
    let (executor, _) = gated(Snapshot::builder("bot"));
    assert_eq!(executor.layers(), ["decode", "gate", "run"]);
    assert!(call(&executor, "add", json!({"a": 1, "b": 2}), Caller::Llm).is_err());
}

#[test]
fn a_plan_is_refused_as_the_call_would_be() {
    let plan = |executor: &Executor| {
        let call = Call::new("add", json!({"a": 1, "b": 2}));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(executor.plan(call, &ToolContext::empty(), Caller::Llm)).map(|plan| plan.args)
    };
    let (hidden, _) = gated(Snapshot::builder("bot"));
    assert_eq!(plan(&hidden).unwrap_err().code_str(), "tool_not_enabled");
    let (visible, _) = gated(Snapshot::builder("bot").row("tag:math", RowSource::Global));
    assert_eq!(plan(&visible).unwrap(), json!({"a": 1, "b": 2}));
}

#[test]
fn a_tool_that_is_offered_needs_no_row_and_only_it() {
    let names = |snapshot: SnapshotBuilder| {
        let (executor, snapshot) = gated(snapshot);
        executor.visible(&snapshot).iter().map(|tool| tool.name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(Snapshot::builder("bot")), Vec::<String>::new());
    assert_eq!(names(Snapshot::builder("bot").offer("add")), ["add"]);
    let excluded = Snapshot::builder("bot").offer("add").row("!add", RowSource::Manual);
    assert_eq!(names(excluded), Vec::<String>::new());
}

#[test]
fn a_snapshot_says_for_whom_it_was_made() {
    let snapshot = Snapshot::builder("bot").tenant("acme").depth(1, 3).build(&registry()).unwrap();
    assert_eq!((snapshot.agent(), snapshot.tenant()), ("bot", "acme"));
    assert_eq!((snapshot.depth(), snapshot.max_depth()), (1, 3));
    assert_eq!(Snapshot::builder("bot").build(&registry()).unwrap().tenant(), "");
}

#[test]
fn a_pattern_that_can_mean_nothing_is_refused_and_says_why() {
    for (text, why) in [
        ("", Some("it is empty")),
        ("!", Some("it is empty")),
        ("group:", Some("nothing stands behind the colon")),
        ("tag:", Some("nothing stands behind the colon")),
        ("kind:a", Some("`kind:` is unknown")),
        ("send email", Some("a name has letters, digits, `_` and `-`")),
        ("send email*", Some("a name has letters, digits, `_` and `-`")),
        ("größe", Some("a name has letters, digits, `_` and `-`")),
        ("größe*", Some("a name has letters, digits, `_` and `-`")),
        ("send_email", None),
        ("!send-*", None),
        ("?", None),
        ("group:g p", None),
    ] {
        let refused = Pattern::parse(text).err();
        let told = refused.as_ref().map(|error| (error.kind(), error.code_str()));
        assert_eq!(told, why.map(|_| (ErrorKind::InvalidArgs, "bad_pattern")), "{text:?}");
        let message = refused.map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains(why.unwrap_or_default()), "{text:?}: {message}");
    }
}

#[test]
fn an_agent_of_the_directory_whose_slug_cannot_be_one_is_refused() {
    for (slug, is_slug) in
        [("data-scout", true), ("2nd_scout", true), ("Data Scout", false), ("a*", false), ("_a", false)]
    {
        let directory = [Agent { slug: slug.to_owned(), online: true }];
        let built =
            Snapshot::builder("bot").row("agent:*", RowSource::Manual).agents(directory).build(&registry());
        let code = built.err().map(|error| error.code_str().to_owned());
        assert_eq!(code, (!is_slug).then(|| "bad_agent_slug".to_owned()), "{slug}");
    }
}

#[test]
fn every_reason_has_a_word_and_advice_of_its_own() {
    let reasons: Vec<Reason> = Reason::all().collect();
    assert_eq!(reasons.len(), 17);
    let words: BTreeSet<&str> = reasons.iter().map(|reason| reason.as_str()).collect();
    let advice: BTreeSet<&str> = reasons.iter().map(|reason| reason.advice()).collect();
    assert_eq!((words.len(), advice.len()), (17, 17));
    assert_eq!(Reason::SecretMissing.advice(), "set the secret");
}

/// Answers for every agent.
struct Echo;

impl AskAgent for Echo {
    fn ask<'a>(&'a self, slug: &'a str, prompt: &'a str, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        let text = format!("{slug} heard {prompt} from {}", ctx.agent());
        Box::pin(std::future::ready(Ok(ToolOutput::text(text))))
    }
}

#[test]
fn agents_are_tools_that_hand_a_prompt_on_and_are_refused_at_full_depth() {
    let directory = [Agent { slug: "data-scout".to_owned(), online: true }];
    let snapshot = Snapshot::builder("bot").row("agent:*", RowSource::Manual).agents(directory);
    let ctx = ToolContext::builder().provide_arc::<dyn AskAgent>(Arc::new(Echo)).build();
    let ask = |snapshot: SnapshotBuilder, prompt: &str| {
        let (executor, _) = gated(snapshot);
        executor.call_blocking(Call::new("ask_data_scout", json!({"prompt": prompt})), &ctx, Caller::Llm)
    };
    let answer = ask(snapshot.clone(), "hello").unwrap().data();
    assert_eq!(answer, json!("data-scout heard hello from bot"));
    assert_eq!(ask(snapshot.clone(), "").unwrap_err().kind(), ErrorKind::InvalidArgs);
    assert_eq!(ask(snapshot.clone(), &"x".repeat(8_001)).unwrap_err().kind(), ErrorKind::InvalidArgs);
    let deep = ask(snapshot.clone().depth(1, 1), "hello").unwrap_err();
    assert_eq!(deep.code_str(), "tool_agent_depth");
    assert!(ask(snapshot.clone().depth(1, 2), "hello").is_ok());
    let deeper = ask(snapshot.clone().depth(2, 2), "hello").unwrap_err();
    assert_eq!(deeper.code_str(), "tool_agent_depth");
    let cycle = ask(snapshot.clone().chain(["data-scout".to_owned()]), "hello").unwrap_err();
    assert_eq!(cycle.code_str(), "tool_agent_cycle");

    let two = [("a-b", true), ("a_b", true)].map(|(slug, online)| Agent { slug: slug.to_owned(), online });
    let clash = Snapshot::builder("bot").row("agent:*", RowSource::Manual).agents(two).build(&registry());
    assert_eq!(clash.unwrap_err().code_str(), "agent_name_collision");
    let tool = DynTool::builder("ask_ann")
        .description("Asks.")
        .behavior(Behavior::READ)
        .handler_sync(|_, _| Ok(ToolOutput::default()));
    let taken = Registry::builder().add_dyn(tool.build().unwrap()).build().unwrap();
    let clash = Snapshot::builder("bot").row("agent:ann", RowSource::Manual).build(&taken);
    assert_eq!(clash.unwrap_err().code_str(), "tool_name_taken");
}

#[test]
fn a_spawned_agent_gets_no_more_than_its_parent_has() {
    let registry = registry();
    let parent = Snapshot::builder("bot").row("add", RowSource::Manual).row("spawn", RowSource::Manual);
    let parent = parent.build(&registry).unwrap();
    let beyond =
        spawn_subset(&parent, &["add".into(), "send_email".into(), "clean".into(), "no".into()], &registry);
    let beyond = beyond.unwrap_err();
    assert_eq!((beyond.kind(), beyond.code_str()), (ErrorKind::Denied, "subset_exceeds_parent"));
    assert_eq!(beyond.details()["tools"], json!(["send_email", "clean", "no"]));
    let child = spawn_subset(&parent, &["add".into(), "spawn".into()], &registry).unwrap();
    let executor = Executor::standard(registry).build().unwrap();
    let names = |snapshot: &Snapshot| {
        executor.visible(snapshot).iter().map(|tool| tool.name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&parent), ["add", "spawn"]);
    assert_eq!(names(&child), ["add"]);
}

const PATTERNS: [&str; 12] = [
    "*",
    "add",
    "send_*",
    "!send_email",
    "group:mail",
    "tag:math",
    "!tag:agent",
    "clean",
    "spawn",
    "agent:scout",
    "agent:*",
    "!agent:scout",
];

fn any_snapshot() -> impl Strategy<Value = SnapshotBuilder> {
    let rows = prop::collection::vec(prop::sample::select(&PATTERNS[..]), 0..5);
    let flags = prop::collection::vec(
        (prop::sample::select(&["math", "outbound", "agent"][..]), any::<bool>()),
        0..3,
    );
    let surface = prop::option::of(prop::sample::select(&[Surface::Llm, Surface::Cli, Surface::Mcp][..]));
    let subset = prop::option::of(prop::collection::vec(
        prop::sample::select(&["add", "send_email", "spawn"][..]),
        0..3,
    ));
    (rows, flags, surface, subset, any::<[bool; 4]>(), 0u32..2).prop_map(
        |(rows, flags, surface, subset, bits, depth)| {
            let [secret, room, online, chained] = bits;
            let mut built = Snapshot::builder("me")
                .surface(surface)
                .runtime(Runtime {
                    harness: room.then(|| "room".to_owned()).into_iter().collect(),
                    terminal: false,
                })
                .agents([Agent { slug: "scout".to_owned(), online }])
                .chain(chained.then(|| "scout".to_owned()))
                .depth(depth, 1)
                .subset(subset.map(|names| names.into_iter().map(str::to_owned).collect::<BTreeSet<_>>()));
            built = rows.into_iter().fold(built, |built, row| built.row(row, RowSource::Manual));
            built = flags.into_iter().fold(built, |built, (tag, on)| built.flag(tag, on));
            if secret { built.secret("SMTP_URL") } else { built }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tool_trials::CASES[1]))]

    #[test]
    fn a_tool_is_listed_if_and_only_if_nothing_hides_it_and_its_call_passes(snapshot in any_snapshot()) {
        let (executor, snapshot) = gated(snapshot);
        let visible: Vec<&str> = executor.visible(&snapshot).iter().map(|tool| tool.name()).collect();
        for tool in executor.registry().iter().chain(snapshot.agent_tools().iter()) {
            let listed = visible.contains(&tool.name());
            let unexplained = explain(tool, &snapshot).is_empty();
            // Wrong arguments on purpose: they are only spoken of behind the gate.
            let error = call(&executor, tool.name(), json!({"wrong": 1}), Caller::Llm).unwrap_err();
            let passed = error.kind() == ErrorKind::InvalidArgs;
            prop_assert!(passed || error.code_str().starts_with("tool_"), "{}: {error}", tool.name());
            prop_assert_eq!((listed, listed), (unexplained, passed), "{}", tool.name());
        }
    }
}

#[test]
fn surfaces_are_those_of_the_definition() {
    assert_eq!(registry().get("clean").unwrap().def().surfaces, Surfaces::NONE.with(Surface::Cli));
}

/// `cargo test -p tool-core --test gate`, without the feature that keeps limits.
#[cfg(not(feature = "limit"))]
#[test]
fn without_limits_a_policy_that_sets_one_is_refused() {
    use tool_core::Limits;

    let few = Limits { max_concurrent: Some(1), ..Limits::default() };
    let short = Limits { timeout: Some(std::time::Duration::from_secs(60)), ..Limits::default() };
    let none = Limits::default();
    for (tool, agent, refused) in
        [(none, none, false), (short, short, false), (few, none, true), (none, few, true), (few, few, true)]
    {
        let policy = policy_of_one::OnePolicy { tool, agent, ..Default::default() };
        let executor = Executor::standard(registry()).policy(Arc::new(policy)).build().unwrap();
        let code = call(&executor, "add", json!({"a": 1, "b": 2}), Caller::Llm)
            .err()
            .map(|error| error.code_str().to_owned());
        assert_eq!(code, refused.then(|| "limit_missing".to_owned()), "{tool:?} {agent:?}");
    }
}

#[test]
fn a_row_says_which_tools_it_means_and_where_it_comes_from() {
    let row = Row::new(Pattern::parse("!send_*").unwrap(), RowSource::Manual);
    assert_eq!((row.pattern().is_negative(), row.source()), (true, &RowSource::Manual));
}
