//! Calls with a journal: what is recorded, replayed, asked about and left alone; and cassettes.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at what it cannot build")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::journal::{
    Cassette, CassetteMode, Journal, MemoryJournal, Reconciled, RecordedCall, RowQuery, Status, resume,
};
use tool_core::{
    ApprovalRequest, Approver, BoxFuture, Call, Caller, Coordinates, Decision, Executor, JournalMode,
    Registry, ToolContext, ToolError, ToolOutput, tool,
};

/// What happened outside.
#[derive(Default)]
struct Outside(Mutex<Vec<String>>);

impl Outside {
    fn happened(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Charges and hands its key on.
#[tool(side_effect, idempotent = false)]
fn charge(
    /// How much.
    amount: u64,
    #[ctx] outside: &Arc<Outside>,
    ctx: &ToolContext,
) -> Result<u64, ToolError> {
    outside.0.lock().unwrap().push(ctx.idempotency_key().to_owned());
    if amount == 13 { Err(ToolError::timeout("late")) } else { Ok(amount) }
}

/// Posts, and nobody can tell afterwards.
#[tool(side_effect, idempotent = false)]
fn post(
    /// What.
    text: &str,
    #[ctx] outside: &Arc<Outside>,
) -> Result<String, ToolError> {
    outside.0.lock().unwrap().push(text.to_owned());
    if text == "lost" { Err(ToolError::unavailable("gone")) } else { Ok(text.to_owned()) }
}

/// Ships, and can be asked about.
#[tool(side_effect, idempotent = false, reconcile = look)]
fn ship(
    /// What.
    item: &str,
    #[ctx] outside: &Arc<Outside>,
) -> Result<String, ToolError> {
    outside.0.lock().unwrap().push(item.to_owned());
    Err(ToolError::unavailable("gone"))
}

async fn look(call: &RecordedCall, ctx: &ToolContext) -> Reconciled {
    let item = call.input["item"].as_str().unwrap_or_default().to_owned();
    match ctx.require::<Arc<Outside>>() {
        Ok(outside) if outside.happened().contains(&item) => Reconciled::Done(ToolOutput::structured(item)),
        _ => Reconciled::NotDone,
    }
}

struct Answers(Decision, Arc<AtomicU32>);

impl Approver for Answers {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        assert!(request.question.is_some());
        self.1.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::ready(self.0.clone()))
    }
}

struct Scene {
    journal: MemoryJournal,
    outside: Arc<Outside>,
}

impl Scene {
    fn new() -> Scene {
        Scene { journal: MemoryJournal::new(), outside: Arc::default() }
    }

    /// A process: an owner of its own.
    fn executor(&self) -> Executor {
        let registry =
            Registry::builder().add::<ChargeTool>().add::<PostTool>().add::<ShipTool>().build().unwrap();
        let journal = Arc::new(self.journal.another());
        Executor::standard(registry).journal(journal, JournalMode::All, "test 1").build().unwrap()
    }

    fn ctx(&self, attempt: u32) -> ToolContext {
        let at = Coordinates::new("run").node("pay").attempt(attempt);
        ToolContext::builder().provide(Arc::clone(&self.outside)).at(at).build()
    }

    fn ask(&self, attempt: u32, decision: Decision) -> (ToolContext, Arc<AtomicU32>) {
        let asked = Arc::new(AtomicU32::new(0));
        let at = Coordinates::new("run").node("pay").attempt(attempt);
        let ctx = ToolContext::builder().provide(Arc::clone(&self.outside)).at(at);
        (ctx.approver(Answers(decision, Arc::clone(&asked))).build(), asked)
    }

    async fn rows(&self) -> Vec<tool_core::journal::Row> {
        self.journal.rows(&RowQuery::default()).await.unwrap()
    }
}

async fn call(
    executor: &Executor,
    ctx: &ToolContext,
    tool: &str,
    args: Value,
) -> Result<ToolOutput, ToolError> {
    executor.call(Call::new(tool, args), ctx, Caller::Test).await
}

#[tokio::test]
async fn the_same_call_of_a_later_attempt_is_replayed_and_another_one_runs() {
    let scene = Scene::new();
    call(&scene.executor(), &scene.ctx(1), "charge", json!({"amount": 5})).await.unwrap();
    let executor = scene.executor();
    let replayed = call(&executor, &scene.ctx(2), "charge", json!({"amount": 5.0})).await.unwrap();
    assert_eq!((replayed.data(), &replayed.meta["replayed"]), (json!(5), &json!(true)));
    call(&executor, &scene.ctx(2), "charge", json!({"amount": 6})).await.unwrap();
    assert_eq!(scene.outside.happened().len(), 2);
    let rows = scene.rows().await;
    let warning = resume::warning(&rows, 2, None).unwrap();
    assert!(warning.ends_with("- charge (attempt 1, seq 1, status ok)"), "{warning}");
}

#[tokio::test]
async fn equal_calls_of_one_attempt_are_different_calls_with_different_keys() {
    let scene = Scene::new();
    let (executor, ctx) = (scene.executor(), scene.ctx(1));
    for _ in 0..2 {
        call(&executor, &ctx, "charge", json!({"amount": 5})).await.unwrap();
    }
    let keys = scene.outside.happened();
    assert!(keys.len() == 2 && keys[0] != keys[1], "{keys:?}");
    // Started over, both meet their own outcome.
    let (executor, ctx) = (scene.executor(), scene.ctx(2));
    for _ in 0..2 {
        let output = call(&executor, &ctx, "charge", json!({"amount": 5})).await.unwrap();
        assert_eq!(output.meta["replayed"], true);
    }
    assert_eq!(scene.outside.happened().len(), 2);
}

#[tokio::test]
async fn a_keyed_call_in_doubt_runs_again_with_its_key() {
    let scene = Scene::new();
    let error = call(&scene.executor(), &scene.ctx(1), "charge", json!({"amount": 13})).await.unwrap_err();
    assert_eq!(error.details()["journal"], "in_doubt");
    assert!(error.hint_str().unwrap().contains("may have happened"));
    call(&scene.executor(), &scene.ctx(2), "charge", json!({"amount": 13})).await.unwrap_err();
    let keys = scene.outside.happened();
    assert!(keys.len() == 2 && keys[0] == keys[1], "{keys:?}");
}

#[tokio::test]
async fn a_manual_call_in_doubt_is_asked_about() {
    let scene = Scene::new();
    call(&scene.executor(), &scene.ctx(1), "post", json!({"text": "lost"})).await.unwrap_err();
    let executor = scene.executor();
    let nobody = call(&executor, &scene.ctx(2), "post", json!({"text": "lost"})).await.unwrap_err();
    assert_eq!(nobody.code_str(), "in_doubt");
    let (no, _) = scene.ask(2, Decision::Deny { reason: None });
    assert_eq!(
        call(&executor, &no, "post", json!({"text": "lost"})).await.unwrap_err().code_str(),
        "replay_denied"
    );
    assert_eq!(scene.outside.happened().len(), 1, "nothing ran");
    let (yes, asked) = scene.ask(2, Decision::AllowOnce);
    call(&executor, &yes, "post", json!({"text": "lost"})).await.unwrap_err();
    assert_eq!((scene.outside.happened().len(), asked.load(Ordering::SeqCst)), (2, 1));
}

#[tokio::test]
async fn the_replay_gate_asks_once_and_a_refusal_is_final_for_the_attempt() {
    let scene = Scene::new();
    call(&scene.executor(), &scene.ctx(1), "post", json!({"text": "a"})).await.unwrap();
    let executor = scene.executor();
    let nobody = call(&executor, &scene.ctx(2), "post", json!({"text": "b"})).await.unwrap_err();
    assert_eq!(nobody.code_str(), "approval_unavailable");
    let same = call(&executor, &scene.ctx(2), "post", json!({"text": "a"})).await.unwrap();
    assert_eq!(same.meta["replayed"], true);
    let (no, asked) = scene.ask(2, Decision::Deny { reason: None });
    for _ in 0..2 {
        let denied = call(&executor, &no, "post", json!({"text": "b"})).await.unwrap_err();
        assert_eq!(denied.code_str(), "replay_denied");
    }
    assert_eq!((asked.load(Ordering::SeqCst), scene.outside.happened().len()), (1, 1));
    let (yes, asked) = scene.ask(3, Decision::AllowOnce);
    for text in ["b", "c"] {
        call(&executor, &yes, "post", json!({"text": text})).await.unwrap();
    }
    assert_eq!((asked.load(Ordering::SeqCst), scene.outside.happened().len()), (1, 3));
}

#[tokio::test]
async fn the_outside_world_is_asked_before_a_reconcilable_call_is_repeated() {
    let scene = Scene::new();
    call(&scene.executor(), &scene.ctx(1), "ship", json!({"item": "book"})).await.unwrap_err();
    let output = call(&scene.executor(), &scene.ctx(2), "ship", json!({"item": "book"})).await.unwrap();
    assert_eq!((output.data(), scene.outside.happened().len()), (json!("book"), 1));
    let settled = scene.rows().await.into_iter().find(|row| row.status == Status::Reconciled).unwrap();
    assert_eq!((settled.attempt, settled.recoveries), (1, 1));
}

#[tokio::test]
async fn an_explicit_key_joins_calls_and_conflicts_with_other_arguments() {
    let scene = Scene::new();
    let executor = scene.executor();
    let ctx = ToolContext::builder().provide(Arc::clone(&scene.outside)).build();
    let with = |amount: u64| Call {
        idempotency_key: Some("order-1".to_owned()),
        ..Call::new("charge", json!({"amount": amount}))
    };
    for _ in 0..3 {
        executor.call(with(5), &ctx, Caller::Test).await.unwrap();
    }
    assert_eq!(scene.outside.happened(), ["order-1"]);
    let other = executor.call(with(6), &ctx, Caller::Test).await.unwrap_err();
    assert_eq!(other.code_str(), "idempotency_conflict");
    let bad = Call { idempotency_key: Some("a b".to_owned()), ..Call::new("charge", json!({"amount": 5})) };
    assert_eq!(executor.call(bad, &ctx, Caller::Test).await.unwrap_err().code_str(), "bad_idempotency_key");
}

#[tokio::test]
async fn a_caller_that_goes_away_leaves_an_outcome() {
    /// Never ends.
    #[tool(side_effect, idempotent = false, register = false)]
    async fn hang() -> String {
        std::future::pending().await
    }
    let journal = Arc::new(MemoryJournal::new());
    let registry = Registry::builder().add::<HangTool>().build().unwrap();
    let recorder = Arc::clone(&journal) as Arc<dyn Journal>;
    let executor =
        Executor::standard(registry).journal(recorder, JournalMode::All, "test 1").build().unwrap();
    let ctx = ToolContext::empty();
    let running = call(&executor, &ctx, "hang", json!({}));
    assert!(tokio::time::timeout(std::time::Duration::from_millis(50), running).await.is_err());
    let rows = journal.rows(&RowQuery::default()).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.status).collect::<Vec<_>>(), [Status::InDoubt]);
}

#[tokio::test]
async fn the_key_is_there_without_a_journal_and_the_context_in_every_task() {
    /// Tells its key.
    #[tool(register = false)]
    async fn tell(ctx: &ToolContext) -> bool {
        ToolContext::current().is_some_and(|current| current.idempotency_key() == ctx.idempotency_key())
            && ctx.idempotency_key().starts_with("tk1_")
            && ctx.effect_key("a").starts_with("ek1_")
    }
    let executor =
        Executor::standard(Registry::builder().add::<TellTool>().build().unwrap()).build().unwrap();
    assert!(ToolContext::current().is_none());
    for ctx in [ToolContext::empty(), ToolContext::empty().for_run(Coordinates::new("run"))] {
        let output = call(&executor, &ctx, "tell", json!({})).await.unwrap();
        assert_eq!(output.structured.as_deref(), Some(&json!(true)));
    }
}

#[tokio::test]
async fn a_cassette_recorded_twice_is_one_file_and_replays_without_running() {
    let folder = tool_trials::directory();
    let runs = Arc::new(AtomicU32::new(0));
    let executor = |path: &std::path::Path, mode| {
        let count = Arc::clone(&runs);
        let tool = tool_core::DynTool::builder("fetch")
            .description("Fetches.")
            .input_schema(json!({"type": "object", "properties": {"page": {"type": "integer"}}}))
            .handler_sync(move |args, _| {
                count.fetch_add(1, Ordering::SeqCst);
                Ok(ToolOutput::structured(json!({"page": args["page"], "text": "x"})))
            })
            .build()
            .unwrap();
        let cassette = Cassette::open(path, mode).unwrap();
        Executor::standard(Registry::builder().add_dyn(tool).build().unwrap())
            .before("run", cassette)
            .build()
            .unwrap()
    };
    let ctx = ToolContext::empty();
    let paths = ["a.jsonl", "b.jsonl"].map(|name| folder.path().join(name));
    for path in &paths {
        let recording = executor(path, CassetteMode::Record);
        for page in [2, 1, 2] {
            call(&recording, &ctx, "fetch", json!({"page": page})).await.unwrap();
        }
    }
    assert_eq!(std::fs::read(&paths[0]).unwrap(), std::fs::read(&paths[1]).unwrap());
    let ran = runs.load(Ordering::SeqCst);
    let replaying = executor(&paths[0], CassetteMode::Strict);
    for page in [1, 2, 2] {
        let output = call(&replaying, &ctx, "fetch", json!({"page": page})).await.unwrap();
        assert_eq!(output.structured.unwrap()["page"], page);
    }
    let miss = call(&replaying, &ctx, "fetch", json!({"page": 3})).await.unwrap_err();
    assert_eq!((miss.code_str(), runs.load(Ordering::SeqCst)), ("cassette_miss", ran));
    assert!(miss.message().contains("nearest recorded call"), "{miss}");
}

/// Looks at what changes.
#[tool]
fn look_outside(#[ctx] outside: &Arc<Outside>) -> u64 {
    let mut happened = outside.0.lock().unwrap();
    happened.push("looked".to_owned());
    happened.len() as u64
}

#[tokio::test]
async fn reads_of_earlier_attempts_are_given_again_where_that_is_asked_for() {
    let scene = Scene::new();
    let executor = |again: bool| {
        let registry = Registry::builder().add::<LookOutsideTool>().build().unwrap();
        let journal = Arc::new(scene.journal.another());
        let built = Executor::standard(registry).journal(journal, JournalMode::All, "test 1");
        if again { built.replay_reads() } else { built }.build().unwrap()
    };
    let look = async |executor: &Executor, ctx: &ToolContext| {
        let output = call(executor, ctx, "look_outside", json!({})).await.unwrap();
        (output.data(), output.meta.contains_key("replayed"))
    };
    let (first, ctx) = (executor(true), scene.ctx(1));
    assert_eq!(look(&first, &ctx).await, (json!(1), false));
    assert_eq!(look(&first, &ctx).await, (json!(2), false));
    // Started over it sees what it saw, in order, and then what there is.
    let (second, ctx) = (executor(true), scene.ctx(2));
    assert_eq!(look(&second, &ctx).await, (json!(1), true));
    assert_eq!(look(&second, &ctx).await, (json!(2), true));
    assert_eq!(look(&second, &ctx).await, (json!(3), false));
    // Who does not ask for it looks.
    assert_eq!(look(&executor(false), &scene.ctx(3)).await, (json!(4), false));
}

/// The tool of [`charge`], a version later: another name, and one parameter more.
#[tool(aliases = ["charge"], side_effect, idempotent = false)]
fn bill(
    /// How much.
    amount: u64,
    /// In which currency.
    #[arg(default = "eur".to_owned())]
    currency: String,
    #[ctx] outside: &Arc<Outside>,
    ctx: &ToolContext,
) -> Result<u64, ToolError> {
    outside.0.lock().unwrap().push(format!("{currency} {}", ctx.idempotency_key()));
    Ok(amount)
}

#[tokio::test]
async fn a_renamed_tool_with_a_new_defaulted_parameter_finds_the_recorded_outcomes() {
    let scene = Scene::new();
    call(&scene.executor(), &scene.ctx(1), "charge", json!({"amount": 5})).await.unwrap();
    let later = || {
        let registry = Registry::builder().add::<BillTool>().build().unwrap();
        let journal = Arc::new(scene.journal.another());
        Executor::standard(registry).journal(journal, JournalMode::All, "test 2").build().unwrap()
    };
    for (attempt, name, args) in [
        (2, "bill", json!({"amount": 5})),
        (3, "charge", json!({"amount": 5})),
        (4, "bill", json!({"amount": 5, "currency": "eur"})),
    ] {
        let output = call(&later(), &scene.ctx(attempt), name, args).await.unwrap();
        assert_eq!((output.data(), &output.meta["replayed"]), (json!(5), &json!(true)));
    }
    assert_eq!(scene.outside.happened().len(), 1, "one effect");
    // Its twin: another value of the new parameter is another call.
    let other = json!({"amount": 5, "currency": "usd"});
    assert!(!call(&later(), &scene.ctx(5), "bill", other).await.unwrap().meta.contains_key("replayed"));
    assert_eq!(scene.outside.happened().len(), 2);
}

#[tokio::test]
async fn a_keyed_tool_that_never_reads_its_key_is_warned_about_once_and_loses_the_promise() {
    /// Takes the context and forgets its key, also where it fails.
    #[tool(side_effect, idempotent = false, register = false)]
    fn forgets(ctx: &ToolContext, #[ctx] fails: &AtomicU32) -> Result<bool, ToolError> {
        match fails.fetch_add(1, Ordering::SeqCst) {
            0 => Err(ToolError::failed("Not yet.")),
            _ => Ok(ctx.is_cancelled()),
        }
    }
    /// Has no key to hand on.
    #[tool(side_effect, idempotent = false, register = false)]
    fn promises_nothing() -> bool {
        true
    }
    /// Hands its key on.
    #[tool(side_effect, idempotent = false, register = false)]
    fn minds(ctx: &ToolContext) -> usize {
        ctx.idempotency_key().len()
    }
    let log = tool_trials::Log::default();
    let _listening = log.of_this_thread();
    let journal = MemoryJournal::new();
    let registry = Registry::builder().add::<ForgetsTool>().add::<MindsTool>().add::<PromisesNothingTool>();
    let own = Arc::new(journal.another());
    let executor = Executor::standard(registry.build().unwrap());
    let executor = executor.journal(own, JournalMode::All, "test 1").build().unwrap();
    let ctx = ToolContext::builder().provide(AtomicU32::new(0)).build();
    call(&executor, &ctx, "forgets", json!({})).await.unwrap_err();
    call(&executor, &ctx, "promises_nothing", json!({})).await.unwrap();
    assert_eq!(log.text(), "", "what failed made no promise");
    for tool in ["forgets", "minds", "forgets"] {
        call(&executor, &ctx, tool, json!({})).await.unwrap();
    }
    let text = log.text();
    let warnings: Vec<&str> = text.lines().filter(|line| line.contains("idempotency_key()")).collect();
    assert_eq!(warnings.len(), 1, "{text}");
    assert!(warnings[0].contains("WARN") && warnings[0].contains("forgets"), "{text}");
    let rows = journal.rows(&RowQuery::default()).await.unwrap();
    let promises: Vec<(&str, bool)> =
        rows.iter().map(|row| (row.tool_name.as_str(), row.takes_key)).collect();
    assert_eq!(promises.iter().filter(|row| **row == ("minds", true)).count(), 1, "{promises:?}");
    assert_eq!(promises.iter().filter(|row| **row == ("forgets", false)).count(), 2, "{promises:?}");
}

/// A page of the network.
struct Network(std::net::SocketAddr);

/// Fetches a page.
#[tool(open_world, register = false)]
fn fetch_page(
    /// Which.
    path: &str,
    #[ctx] network: &Network,
) -> Result<String, ToolError> {
    use std::io::{Read as _, Write as _};
    let fetched = std::net::TcpStream::connect(network.0).and_then(|mut stream| {
        stream.write_all(format!("{path}\n").as_bytes())?;
        let mut page = String::new();
        stream.read_to_string(&mut page)?;
        Ok(page)
    });
    fetched.map_err(|error| ToolError::unavailable("The network is gone.").source(error))
}

#[tokio::test]
async fn a_cassette_answers_when_the_network_is_gone() {
    use std::io::{BufRead as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let ctx = ToolContext::builder().provide(Network(listener.local_addr().unwrap())).build();
    let serving = std::thread::spawn(move || {
        for stream in listener.incoming().take(4).map(Result::unwrap) {
            let mut stream = std::io::BufReader::new(stream);
            let mut path = String::new();
            stream.read_line(&mut path).unwrap();
            stream.get_mut().write_all(format!("page {path}").as_bytes()).unwrap();
        }
    });
    let folder = tool_trials::directory();
    let executor = |path: Option<&std::path::Path>, mode| {
        let builder = Executor::standard(Registry::builder().add::<FetchPageTool>().build().unwrap());
        match path {
            Some(path) => builder.before("run", Cassette::open(path, mode).unwrap()),
            None => builder,
        }
        .build()
        .unwrap()
    };
    let paths = ["a.jsonl", "b.jsonl"].map(|name| folder.path().join(name));
    for path in &paths {
        let recording = executor(Some(path), CassetteMode::Record);
        for page in ["/b", "/a"] {
            call(&recording, &ctx, "fetch_page", json!({"path": page})).await.unwrap();
        }
    }
    serving.join().unwrap();
    assert_eq!(
        std::fs::read(&paths[0]).unwrap(),
        std::fs::read(&paths[1]).unwrap(),
        "recorded twice, one file"
    );
    let gone = call(&executor(None, CassetteMode::Auto), &ctx, "fetch_page", json!({"path": "/a"})).await;
    assert_eq!(gone.unwrap_err().code_str(), "unavailable");
    let replaying = executor(Some(&paths[0]), CassetteMode::Replay);
    let page = call(&replaying, &ctx, "fetch_page", json!({"path": "/a"})).await.unwrap();
    assert_eq!(page.data(), json!("page /a\n"));
    let miss = call(&replaying, &ctx, "fetch_page", json!({"path": "/c"})).await.unwrap_err();
    assert_eq!(miss.code_str(), "cassette_miss");
    let near = &miss.details()["nearest"][0];
    assert_eq!(
        (&near["tool"], &near["diff"]["path"]["asked"]),
        (&json!("fetch_page"), &json!("/c")),
        "{near}"
    );
    assert!(miss.message().contains("/a"), "{miss}");
}

/// Logs in, and says back what it was given.
#[tool(register = false)]
fn log_in(
    /// Who.
    user: &str,
    /// A password.
    #[arg(secret)]
    password: &str,
) -> Value {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let took = CALLS.fetch_add(1, Ordering::SeqCst) + 1;
    json!({"user": user, "echo": format!("password={password}"), "duration_ms": took})
}

#[tokio::test]
async fn a_cassette_holds_no_secret_and_nothing_that_changes_from_run_to_run() {
    let folder = tool_trials::directory();
    let known = Arc::new(tool_core::redact::KnownSecrets::new([("API_KEY", "sk-canary-12345")]));
    let executor = |path: &std::path::Path, mode| {
        let registry = Registry::builder().add::<LogInTool>().build().unwrap();
        let shape = tool_core::ShapeSettings {
            secrets: Arc::clone(&known),
            results: None,
            ..tool_core::ShapeSettings::default()
        };
        let cassette = Cassette::open(path, mode).unwrap();
        Executor::standard(registry).shape(shape).before("run", cassette).build().unwrap()
    };
    let args = json!({"user": "with sk-canary-12345", "password": "hunter2-hunter2"});
    let paths = ["a.jsonl", "b.jsonl"].map(|name| folder.path().join(name));
    for path in &paths {
        call(&executor(path, CassetteMode::Record), &ToolContext::empty(), "log_in", args.clone())
            .await
            .unwrap();
    }
    let texts = paths.each_ref().map(|path| std::fs::read_to_string(path).unwrap());
    assert_eq!(texts[0], texts[1], "recorded twice, one file");
    assert!(!texts[0].contains("hunter2") && !texts[0].contains("canary"), "{}", texts[0]);
    assert!(
        texts[0].contains("password=[secret:password]") && texts[0].contains("[secret:API_KEY]"),
        "{}",
        texts[0]
    );
    let replaying = executor(&paths[0], CassetteMode::Strict);
    let output = call(&replaying, &ToolContext::empty(), "log_in", args).await.unwrap().data();
    assert_eq!((&output["duration_ms"], &output["echo"]), (&json!(0), &json!("password=[secret:password]")));
}

/// What was fetched.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Fetched {
    #[schemars(extend("x-log" = "hash"))]
    text: String,
    lines: u32,
}

/// Fetches once.
#[tool(register = false, side_effect, idempotent)]
fn fetch_once() -> Fetched {
    Fetched { text: "the whole text".to_owned(), lines: 1 }
}

#[tokio::test]
async fn a_replay_names_what_was_not_kept_of_a_result() {
    let registry = Registry::builder().add::<FetchOnceTool>().build().unwrap();
    let journal = Arc::new(MemoryJournal::new());
    let executor = Executor::standard(registry).journal(journal, JournalMode::All, "test 1").build().unwrap();
    let keyed = || Call { idempotency_key: Some("k".to_owned()), ..Call::new("fetch_once", json!({})) };
    let first = executor.call(keyed(), &ToolContext::empty(), Caller::Test).await.unwrap();
    assert_eq!((&first.data()["text"], first.meta.get("incomplete")), (&json!("the whole text"), None));
    let again = executor.call(keyed(), &ToolContext::empty(), Caller::Test).await.unwrap();
    assert_eq!((&again.meta["incomplete"], &again.data()["lines"]), (&json!(["/text"]), &json!(1)));
    assert!(again.meta["hint"].as_str().unwrap().contains("digest"), "{:?}", again.meta);
}
