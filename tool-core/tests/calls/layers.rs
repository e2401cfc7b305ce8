//! Layers of a host: what they hand to each other and to the tool, and what a policy says that says nothing of its own.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tool_core::prelude::*;
use tool_core::{
    BoxFuture, Call, Caller, Executor, Invocation, Layer, Limits, Next, Policy, PolicyRequest, Registry, Row,
    ToolApproval, ToolDef, ToolEntry,
};

use crate::policy_of_one::OnePolicy;
use crate::scene::{Calls, FlakyTool};

/// A word that one layer leaves for another.
#[derive(Debug, PartialEq, Eq)]
struct Word(&'static str);

/// Leaves words, and says which was there before.
struct Leaves(&'static str, Option<&'static str>);

impl Layer for Leaves {
    fn call<'a>(&'a self, mut inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            assert_eq!(inv.ext.get::<Word>().map(|word| word.0), self.1);
            let former = inv.ext.insert(Word(self.0));
            assert_eq!(former.map(|former| former.0), self.1);
            assert_eq!(inv.ext.get::<Word>(), Some(&Word(self.0)));
            assert_eq!(inv.ext.get::<u64>(), None);
            next.run(inv).await
        })
    }
}

#[tokio::test]
async fn what_a_layer_leaves_is_found_by_those_behind_it_until_one_puts_another_in_its_place() {
    let registry = Registry::builder().add::<FlakyTool>().build().unwrap();
    let executor = Executor::standard(registry)
        .before("run", Leaves("first", None))
        .before("run", Leaves("second", Some("first")))
        .build()
        .unwrap();
    let ctx = ToolContext::builder().provide(Calls::default()).build();
    let output = executor.call(Call::new("flaky", json!({"failures": 0})), &ctx, Caller::Test).await.unwrap();
    assert_eq!(output.data(), 0);
}

/// Runs the rest twice for some tools, and shows what it passes on.
struct Twice(&'static str, Arc<AtomicUsize>);

impl Layer for Twice {
    fn concerns(&self, tool: &ToolDef<'_>) -> bool {
        tool.name == self.0
    }

    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            self.1.fetch_add(1, Ordering::SeqCst);
            assert_eq!(format!("{next:?}"), "Next { layers: 0, .. }");
            let ext = format!("{:?}", inv.ext);
            assert!(ext.starts_with("Ext(") && ext.ends_with(" values)"), "{ext}");
            let again = next.again();
            let Invocation { tool, args, ctx, caller, ext } = inv;
            let first = Invocation { tool, args: Arc::clone(&args), ctx, caller, ext: ext.clone() };
            next.run(first).await.unwrap_err();
            again.run(Invocation { tool, args, ctx, caller, ext }).await
        })
    }
}

#[tokio::test]
async fn a_layer_is_passed_only_by_calls_of_the_tools_that_it_concerns_and_may_repeat_them() {
    for (tool, passes) in [("flaky", 1), ("other", 0)] {
        let registry = Registry::builder().add::<FlakyTool>().build().unwrap();
        let passed = Arc::new(AtomicUsize::new(0));
        let layer = Twice(tool, passed.clone());
        let executor = Executor::standard(registry).retries(0).before("run", Leaves("first", None));
        let executor = executor.before("run", layer).build().unwrap();
        let ctx = ToolContext::builder().provide(Calls::default()).build();
        let call = Call::new("flaky", json!({"failures": 1}));
        let result = executor.call(call, &ctx, Caller::Test).await;
        let data = result.ok().map(|output| output.data());
        assert_eq!((data, passed.load(Ordering::SeqCst)), ((passes == 1).then(|| json!(1)), passes));
    }
}

/// Counts what passes.
struct Counts(Arc<AtomicUsize>);

impl Layer for Counts {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        assert_eq!(*inv.args, json!({"name": "Ann", "word": "Hello"}));
        self.0.fetch_add(1, Ordering::SeqCst);
        next.run(inv)
    }
}

#[test]
fn a_layer_is_passed_with_the_normal_form_also_by_text_that_could_be_taken_without_one() {
    let passed = Arc::new(AtomicUsize::new(0));
    let registry = Registry::builder().add::<GreetTool>().build().unwrap();
    let executor = Executor::standard(registry).before("run", Counts(passed.clone())).build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (text, ctx) = (r#"{"name": "Ann"}"#, ToolContext::empty());
    let blocking = executor.call_text_blocking("greet", text, &ctx, Caller::Llm);
    let in_runtime = runtime.block_on(executor.call_text("greet", text, &ctx, Caller::Llm));
    assert_eq!(
        (blocking.unwrap().data(), in_runtime.unwrap().data()),
        (json!("Hello Ann"), json!("Hello Ann"))
    );
    assert_eq!(passed.load(Ordering::SeqCst), 2);
}

/// Consents to everything, and remembers what callers gave.
#[derive(Clone, Default)]
struct Watches(OnePolicy, Arc<Mutex<Vec<Vec<String>>>>);

impl Policy for Watches {
    fn sha256(&self) -> &str {
        self.0.sha256()
    }
    fn knows(&self, agent: &str) -> bool {
        self.0.knows(agent)
    }
    fn rows(&self, agent: &str) -> Vec<Row> {
        self.0.rows(agent)
    }
    fn flags(&self, agent: &str) -> Vec<(String, bool)> {
        self.0.flags(agent)
    }
    fn judge(&self, request: &PolicyRequest<'_>) -> Result<(), ToolError> {
        self.1.lock().unwrap().push(request.given.to_vec());
        self.0.judge(request)
    }
    fn judge_path(&self, agent: &str, tool: &str, path: &Path) -> Result<(), ToolError> {
        let closed = path.starts_with("/etc");
        if closed { Err(ToolError::denied(format!("{agent} {tool}"))) } else { Ok(()) }
    }
    fn approval(&self, agent: &str, tool: &ToolEntry) -> Option<ToolApproval> {
        self.0.approval(agent, tool)
    }
    fn agent_limits(&self, agent: &str) -> Limits {
        self.0.agent_limits(agent)
    }
    fn tool_limits(&self, agent: &str, tool: &ToolEntry) -> Limits {
        self.0.tool_limits(agent, tool)
    }
}

/// Greets somebody.
#[tool(register = false)]
fn greet(
    /// Whom.
    name: &str,
    /// How.
    #[arg(default = "Hello")]
    word: &str,
) -> String {
    format!("{word} {name}")
}

/// Opens a file, as far as it may.
#[tool(register = false)]
fn open(
    /// Which.
    path: &str,
    ctx: &ToolContext,
) -> Result<bool, ToolError> {
    ctx.judge_path(Path::new(path))?;
    Ok(ctx.has_path_rules())
}

#[tokio::test]
async fn what_a_tool_opens_is_judged_by_the_policy_that_its_call_was_let_in_by() {
    let open = async |executor: &Executor, path: &str| {
        let ctx = ToolContext::builder().agent("bot").build();
        let result = executor.call(Call::new("open", json!({"path": path})), &ctx, Caller::Llm).await;
        result.map(|output| output.data()).map_err(|error| error.message().to_owned())
    };
    let registry = || Registry::builder().add::<OpenTool>().build().unwrap();
    let judged = Executor::standard(registry()).policy(Arc::new(Watches::default())).build().unwrap();
    assert_eq!(open(&judged, "/etc/passwd").await, Err("bot open".to_owned()));
    assert_eq!(open(&judged, "/srv/notes").await, Ok(json!(true)));
    let free = Executor::standard(registry()).build().unwrap();
    assert_eq!(open(&free, "/etc/passwd").await, Ok(json!(false)));
}

#[tokio::test]
async fn a_policy_is_told_which_parameters_the_caller_gave() {
    let watches = Watches::default();
    let registry = Registry::builder().add::<GreetTool>().build().unwrap();
    let executor = Executor::standard(registry).policy(Arc::new(watches.clone())).build().unwrap();
    for args in [json!({"name": "Ann"}), json!({"word": "Hi", "name": "Bob"})] {
        let call = Call::new("greet", args);
        executor.call(call, &ToolContext::empty(), Caller::Llm).await.unwrap();
    }
    let mut given = watches.1.lock().unwrap().clone();
    given.iter_mut().for_each(|names| names.sort());
    assert_eq!(given, [vec!["name"], vec!["name", "word"]]);
}

#[test]
fn a_policy_without_rules_of_paths_and_addresses_refuses_none_and_is_asked_about_each() {
    let policy = OnePolicy::default();
    assert!(policy.judge_path("bot", "read", Path::new("/etc/shadow")).is_ok());
    assert!(policy.judge_url("bot", "fetch", "http://127.0.0.1/").is_ok());
    assert!(policy.has_path_rules("bot", "read"));
}
