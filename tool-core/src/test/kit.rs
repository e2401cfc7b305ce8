//! The kit: a registry, an executor with every layer, and fakes for whatever its tools reach, all of one test.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;

use super::audited::Audited;
use super::blocking::block_on;
use super::builder::KitBuilder;
use super::called::{CallResult, Called, Trace};
use super::everywhere::Everywhere;
use super::fake_clock::FakeClock;
use super::fake_env::FakeEnv;
use super::fake_http::FakeHttp;
use super::fake_rng::FakeRng;
use super::fixture::Fixture;
use super::ground::Ground;
use super::io::{Accessed, Io};
use super::model::DialectKit;
use super::script::Script;
use super::shown;
use super::surface::SurfaceUnderTest;
use super::typed::TypedCall;
use super::watch::Watch;
use crate::call::redact::KnownSecrets;
use crate::call::{AuditRow, Call, Caller, Executor, ExecutorBuilder};
use crate::context::ToolContext;
use crate::def::BoxFuture;
use crate::dialect::DialectId;
use crate::journal::{Journal, MemoryJournal};
use crate::output::ToolResult;
use crate::registry::{Registry, ToolEntry};
use crate::set::ToolSet;
use crate::tool::Tool;

/// Calls tools as their callers do, with fakes for everything around them.
///
/// Every call goes through the whole pipeline, with the caller `test`: decoding, approval, journal, shaping, check, time
/// limit, audit. Two kits share nothing. When a kit is dropped the test fails over answers that nobody asked for, over
/// whatever a fixture finds left, and over calls, spawned tasks and child processes that still run.
///
/// ```
/// use serde_json::json;
/// use tool_core::prelude::*;
/// use tool_core::test::ToolKit;
///
/// /// Greets somebody.
/// #[tool(register = false)]
/// fn greet(
///     /// Who.
///     name: &str,
///     /// How often.
///     #[arg(default = 1, range = 1..=3)]
///     times: u32,
/// ) -> String {
///     vec![format!("Hello {name}."); times as usize].join(" ")
/// }
///
/// tool_set! {
///     /// The tools of this example.
///     static TOOLS = [GreetTool];
/// }
///
/// let kit = ToolKit::new(&TOOLS).build();
/// let said = kit.call_blocking("greet", json!({"name": "Ada", "times": "2"})).unwrap();
/// assert_eq!(said.data(), "Hello Ada. Hello Ada.");
/// assert_eq!(said.notes()[0].path, "/times");
/// let said: String = kit.tool(GreetTool).arg("name", "Ada").run_blocking().unwrap().parse().unwrap();
/// assert_eq!(said, "Hello Ada.");
/// let refused = kit.call_blocking("greet", json!({"times": 4})).unwrap_err();
/// tool_core::assert_issues!(refused, ["/name missing", "/times range"]);
/// ```
pub struct ToolKit {
    recipe: KitBuilder,
    executor: Executor,
    /// Decoder and handler alone.
    bare: Executor,
    parts: Parts,
    calls: AtomicUsize,
    /// Looks at what is left when all before it is gone.
    ground: Option<Ground>,
}

/// What one kit has to itself.
pub(super) struct Parts {
    pub(super) secrets: Arc<KnownSecrets>,
    pub(super) audited: Arc<Audited>,
    pub(super) accessed: Accessed,
    /// What is recorded, to be looked at, and who records it.
    pub(super) journal: MemoryJournal,
    pub(super) recorder: Arc<dyn Journal>,
    pub(super) clock: FakeClock,
    pub(super) env: FakeEnv,
    pub(super) rng: FakeRng,
    pub(super) http: FakeHttp,
    pub(super) script: Script,
    pub(super) context: ToolContext,
    pub(super) fixtures: Vec<Arc<dyn Fixture>>,
}

impl ToolKit {
    /// A kit for the tools of a set.
    ///
    /// # Panics
    /// With every problem of the set.
    #[expect(clippy::new_ret_no_self, reason = "a kit is configured before it is made")]
    pub fn new(set: &'static ToolSet) -> KitBuilder {
        Self::of(built(Registry::builder().add_set(set).build()))
    }

    /// A kit for the tools of a registry.
    pub fn of(registry: Registry) -> KitBuilder {
        KitBuilder::new(registry)
    }

    /// A kit for the tools that are linked into the test.
    ///
    /// # Panics
    /// With every problem of the tools.
    #[cfg(all(feature = "inventory", any(not(target_family = "wasm"), feature = "wasm-inventory")))]
    pub fn discover() -> KitBuilder {
        Self::of(built(Registry::builder().discover().build()))
    }

    #[track_caller]
    #[expect(clippy::panic, reason = "a kit that cannot be made fails the test")]
    pub(super) fn of_parts(recipe: KitBuilder, parts: Parts) -> ToolKit {
        let executor = recipe.layered(&parts).build();
        let bare = Executor::standard(recipe.registry().clone()).build();
        match (executor, bare) {
            (Ok(executor), Ok(bare)) => {
                let ground = recipe.ground();
                ToolKit { recipe, executor, bare, parts, calls: AtomicUsize::new(0), ground }
            }
            (Err(error), _) | (_, Err(error)) => panic!("the kit cannot be made: {error}"),
        }
    }

    /// Calls a tool by name, through the whole pipeline.
    ///
    /// # Errors
    /// Every failure of a call.
    pub async fn call(&self, tool: &str, args: Value) -> CallResult {
        self.call_as(Call::new(tool, args), Caller::Test).await
    }

    /// [`call`](Self::call) without a runtime.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub fn call_blocking(&self, tool: &str, args: Value) -> CallResult {
        let seen = self.seen(Call::new(tool, args));
        let result = self.executor.call_blocking(seen.call.clone(), &seen.ctx, Caller::Test);
        self.called(&self.executor, seen, result)
    }

    /// Calls a tool by name; only the decoder and the function run.
    ///
    /// # Errors
    /// Every failure of these.
    pub async fn call_bare(&self, tool: &str, args: Value) -> CallResult {
        let seen = self.seen(Call::new(tool, args));
        let call: BoxFuture<'_, ToolResult> =
            Box::pin(self.bare.call(seen.call.clone(), &seen.ctx, Caller::Test));
        let result = match &self.ground {
            Some(ground) => ground.call(tool, call).await,
            None => call.await,
        };
        self.called(&self.bare, seen, result)
    }

    /// [`call_bare`](Self::call_bare) without a runtime.
    ///
    /// # Errors
    /// As [`call_bare`](Self::call_bare).
    pub fn call_bare_blocking(&self, tool: &str, args: Value) -> CallResult {
        block_on(self.call_bare(tool, args))
    }

    /// Makes a call as a surface hands it over, for a caller of any kind.
    ///
    /// # Errors
    /// Every failure of a call.
    pub async fn call_as(&self, call: Call, caller: Caller) -> CallResult {
        let seen = self.seen(call);
        let result = self.executor.call(seen.call.clone(), &seen.ctx, caller).await;
        self.called(&self.executor, seen, result)
    }

    /// [`call_as`](Self::call_as) without a runtime.
    ///
    /// # Errors
    /// As [`call_as`](Self::call_as).
    pub fn call_as_blocking(&self, call: Call, caller: Caller) -> CallResult {
        let seen = self.seen(call);
        let result = self.executor.call_blocking(seen.call.clone(), &seen.ctx, caller);
        self.called(&self.executor, seen, result)
    }

    /// A call of a tool by its handle.
    pub fn tool<T: Tool>(&self, _: T) -> TypedCall<'_> {
        let own = self.registry().iter().find(|entry| std::ptr::addr_eq(entry.def(), T::DEF));
        TypedCall::new(self, own.map_or(T::DEF.name, ToolEntry::name))
    }

    /// Calls tools as a model does whose API speaks a dialect.
    pub fn dialect(&self, dialect: DialectId) -> DialectKit<'_> {
        DialectKit::new(self, dialect)
    }

    /// A call that is made on every surface: directly, in the dialects of all models, and on those that the kit was given.
    /// Each has a kit of its own, made like this one: what its answers are for, this one call must ask.
    pub fn everywhere(&self, tool: impl Into<String>, args: Value) -> Everywhere<'_> {
        Everywhere::new(self, tool.into(), args)
    }

    /// Another kit of the same recipe, which shares with this one only what the recipe provides as a value, and the runtime of its
    /// tools.
    #[track_caller]
    pub fn another(&self) -> ToolKit {
        self.recipe.clone().build()
    }

    /// Moves the clock forward, and wakes whoever sleeps until then.
    pub fn advance(&self, by: Duration) {
        self.parts.clock.advance(by);
    }

    /// The clock of the tools.
    pub fn clock(&self) -> &FakeClock {
        &self.parts.clock
    }

    /// What calls have done through their capabilities, in order.
    pub fn io(&self) -> Vec<Io> {
        self.parts.accessed.all()
    }

    /// The tools.
    pub fn registry(&self) -> &Registry {
        self.recipe.registry()
    }

    /// The executor behind [`call`](Self::call).
    pub fn executor(&self) -> &Executor {
        &self.executor
    }

    /// An executor like that of this kit, for a surface that adds layers of its own. It shares journal and clock with the
    /// kit's.
    pub fn executor_builder(&self) -> ExecutorBuilder {
        self.recipe.layered(&self.parts)
    }

    /// The context of all calls, in which the scripted answers are given.
    pub fn context(&self) -> &ToolContext {
        &self.parts.context
    }

    /// Who answers what calls ask.
    pub fn script(&self) -> &Script {
        &self.parts.script
    }

    /// The environment of tools and surfaces.
    pub fn env(&self) -> &FakeEnv {
        &self.parts.env
    }

    /// The numbers that tools draw.
    pub fn rng(&self) -> &FakeRng {
        &self.parts.rng
    }

    /// The other side of HTTP.
    pub fn http(&self) -> &FakeHttp {
        &self.parts.http
    }

    /// What is recorded of the calls.
    pub fn journal(&self) -> &MemoryJournal {
        &self.parts.journal
    }

    /// The audit rows of all calls that have ended.
    pub fn audit(&self) -> Vec<AuditRow> {
        self.parts.audited.rows()
    }

    /// The first fixture of a type.
    pub fn fixture<F: Fixture>(&self) -> Option<&F> {
        self.parts.fixtures.iter().find_map(|fixture| (&**fixture as &dyn Any).downcast_ref::<F>())
    }

    /// What calls have made of the fixtures, in their order.
    pub fn picture(&self) -> Vec<Value> {
        self.parts.fixtures.iter().map(|fixture| fixture.picture()).collect()
    }

    /// The surfaces that the kit was given.
    pub(super) fn under_test(&self) -> &[Arc<dyn SurfaceUnderTest>] {
        self.recipe.under_test()
    }

    /// A text without the secrets of the kit.
    pub(super) fn scrubbed(&self, text: &str) -> String {
        self.parts.secrets.scrub(text)
    }

    /// The arguments of a call as a message may show them.
    pub(super) fn shown(&self, tool: &str, args: &Value) -> String {
        match self.registry().get(tool) {
            Some(tool) => {
                let secrets = shown::secrets_of(tool, args, &self.parts.secrets);
                shown::args(tool, args, &secrets)
            }
            None => shown::unknown_args(args, &self.parts.secrets),
        }
    }

    /// The id of one more call.
    pub(super) fn next_id(&self) -> String {
        format!("call_{}", self.calls.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// A call that is watched from now on.
    pub(super) fn seen(&self, mut call: Call) -> Seen {
        let id = call.call_id.get_or_insert_with(|| self.next_id()).clone();
        let watch = Watch::new(&self.parts.script, &self.parts.accessed, &self.parts.context);
        let ctx = watch.context(&self.parts.context);
        Seen { id, shown: self.shown(&call.tool, &call.args), call, watch, ctx }
    }

    /// A watched call that has ended.
    pub(super) fn called(&self, executor: &Executor, seen: Seen, result: ToolResult) -> CallResult {
        let trace = Box::new(Trace {
            tool: seen.call.tool,
            args: seen.shown,
            layers: executor.layers().to_vec(),
            events: seen.watch.events(),
            row: self.parts.audited.row(&seen.id),
        });
        match result {
            Ok(output) => Ok(Called::new(output, trace)),
            Err(error) => Err(Called::new(error, trace)),
        }
    }

    /// Forgets what was written down and did not happen, or happened and was not. Gives both as texts.
    pub(super) fn forgive(&self) -> Vec<String> {
        let Parts { script, rng, http, .. } = &self.parts;
        [script.forgive(), rng.forgive(), http.forgive()].concat()
    }

    /// Everything that should not be left of the kit.
    fn leftovers(&self) -> Vec<String> {
        let mut left = self.forgive();
        left.extend(self.parts.fixtures.iter().flat_map(|fixture| fixture.leftovers()));
        for executor in [&self.executor, &self.bare] {
            let (calls, functions) = executor.running();
            if calls > 0 {
                left.push(format!("{calls} calls still run"));
            }
            if functions > 0 {
                left.push(format!("{functions} plain functions still run whose calls have ended"));
            }
        }
        left
    }
}

/// A call that is watched.
pub(super) struct Seen {
    id: String,
    shown: String,
    pub(super) call: Call,
    watch: Watch,
    pub(super) ctx: ToolContext,
}

#[track_caller]
#[expect(clippy::panic, reason = "tools that cannot be collected fail the test")]
fn built(registry: Result<Registry, crate::registry::RegistryError>) -> Registry {
    match registry {
        Ok(registry) => registry,
        Err(error) => panic!("the tools cannot be collected: {error}"),
    }
}

impl Drop for ToolKit {
    #[expect(clippy::panic, reason = "a test must fail that leaves something behind")]
    #[expect(clippy::print_stderr, reason = "whoever looks at a failed test needs to know its numbers")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            if let Some(seed) = self.parts.rng.seed_drawn() {
                eprintln!("the numbers of the tools: .rng({seed})");
            }
            return;
        }
        let left = self.leftovers();
        if !left.is_empty() {
            panic!("the kit is left with this:\n{}", self.scrubbed(&left.join("\n")));
        }
    }
}

impl std::fmt::Debug for ToolKit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolKit").field("recipe", &self.recipe).finish_non_exhaustive()
    }
}
