//! The executor: a registry and the layers around every tool of it. The only way to run a tool.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::approve::Approve;
use super::audit::AuditRow;
use super::batch::already_finished;
use super::builder::ExecutorBuilder;
use super::closing::{Closing, Drained};
use super::decode::{Asked, Decoded, Keep, Reading, tell};
use super::facts::Facts;
use super::gate::{Admitted, Gate, Gatekeeper, Snapshot, gate};
use super::layer::{Ext, Given, Invocation, Layer, Next};
use super::outside::Outside;
use super::panic::Guarded;
use super::policy::Policy;
use super::recording::Recording;
use super::run::{Abandoned, DEFAULT_TIMEOUT, Start, begins, run_tool};
use super::scope::{Begin, Found};
use super::secrets::takes_secrets;
use super::shape::{ResultStore, ShapeSettings, scrub};
use super::{CallScope, Caller, nested};
use crate::args::{ArgIssue, Coerce, Notes};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::journal::key::check_explicit;
use crate::output::ToolResult;
use crate::registry::{Registry, ToolEntry, unknown_tool};

/// One call, as a surface hands it over.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// Name or alias of the tool.
    pub tool: String,
    /// The arguments: an object, null for none, or a text that holds an object.
    pub args: Value,
    /// What the surface found wrong already; the decoder withholds those parameters and adds its own issues.
    pub issues: Vec<ArgIssue>,
    /// The caller's id of the call.
    pub call_id: Option<String>,
    /// Same key, same effect.
    pub idempotency_key: Option<String>,
    /// How lenient decoding is, where that is not for the executor to say: words of a command line are all texts.
    pub coerce: Option<Coerce>,
}

impl Call {
    /// A call of a tool.
    pub fn new(tool: impl Into<String>, args: Value) -> Call {
        Call { tool: tool.into(), args, ..Call::default() }
    }
}

/// Runs the tools of a registry.
///
/// ```
/// use serde_json::json;
/// use tool_core::{Call, Caller, DynTool, Executor, Registry, ToolContext, ToolOutput};
///
/// let echo = DynTool::builder("echo")
///     .description("Returns its text.")
///     .input_schema(json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}))
///     .handler_sync(|args, _| Ok(ToolOutput::structured(args)))
///     .build()?;
/// let executor = Executor::standard(Registry::builder().add_dyn(echo).build()?).build()?;
/// let result = executor.call_blocking(Call::new("echo", json!({"text": 5})), &ToolContext::empty(), Caller::Test)?;
/// assert_eq!(result.data(), json!({"text": "5"}));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Executor {
    inner: Arc<Inner>,
}

/// What an executor is made of.
pub(super) struct Inner {
    pub(super) registry: Registry,
    pub(super) gate: Option<Arc<Gatekeeper>>,
    pub(super) approve: Option<Arc<Approve>>,
    pub(super) shape: Option<Arc<ShapeSettings>>,
    pub(super) outside: Option<Outside>,
    pub(super) layers: Vec<Box<dyn Layer>>,
    pub(super) names: Vec<&'static str>,
    pub(super) reading: Reading,
    pub(super) abandoned: Arc<Abandoned>,
    pub(super) closing: Arc<Closing>,
}

impl Executor {
    /// The executor of a registry, to be configured.
    pub fn standard(registry: Registry) -> ExecutorBuilder {
        ExecutorBuilder::new(registry)
    }

    pub(super) fn of(inner: Inner) -> Executor {
        Executor { inner: Arc::new(inner) }
    }

    pub(super) fn inner(&self) -> &Inner {
        &self.inner
    }

    /// The tools.
    pub fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    /// What was built, outermost first.
    pub fn layers(&self) -> &[&'static str] {
        &self.inner.names
    }

    /// Runs a call. Nothing unwinds out of it; dropping the future cancels the call.
    ///
    /// Inside a tokio runtime plain functions run on its blocking pool; elsewhere on the current thread.
    ///
    /// # Errors
    /// Every failure of a call, in the one form.
    pub async fn call(&self, call: Call, ctx: &ToolContext, caller: Caller) -> ToolResult {
        self.run(Asked::call(call), ctx, caller).await
    }

    /// Runs a call whose arguments are the text of one JSON object, as the APIs of models send them; blank is `{}`.
    ///
    /// A call that has nothing wrong is decoded without a tree in between.
    ///
    /// # Errors
    /// As [`call`](Self::call), and those of [`crate::args::parse`].
    pub async fn call_text(&self, tool: &str, text: &str, ctx: &ToolContext, caller: Caller) -> ToolResult {
        self.run(Asked::Text { tool, text, call_id: None }, ctx, caller).await
    }

    /// Runs a call without a runtime around it. A plain function without a time limit runs on the current thread.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub fn call_blocking(&self, call: Call, ctx: &ToolContext, caller: Caller) -> ToolResult {
        self.run_blocking(Asked::call(call), ctx, caller)
    }

    /// [`call_text`](Self::call_text) without a runtime around it.
    ///
    /// # Errors
    /// As [`call_text`](Self::call_text).
    pub fn call_text_blocking(
        &self,
        tool: &str,
        text: &str,
        ctx: &ToolContext,
        caller: Caller,
    ) -> ToolResult {
        self.run_blocking(Asked::Text { tool, text, call_id: None }, ctx, caller)
    }

    /// The tools that a caller with this snapshot may list, by name.
    pub fn visible<'a>(&'a self, snapshot: &'a Snapshot) -> Vec<&'a ToolEntry> {
        let all = self.inner.registry.iter().chain(snapshot.agent_tools().iter());
        let mut visible: Vec<_> = all.filter(|tool| gate(tool, snapshot) == Gate::Visible).collect();
        visible.sort_by(|a, b| a.name().cmp(b.name()));
        visible
    }

    /// Puts another policy into force; calls that were let in already finish under theirs.
    pub fn reload(&self, policy: Arc<dyn Policy>) {
        if let Some(gate) = &self.inner.gate {
            gate.reload(Some(policy));
        }
    }

    /// Refuses new calls, cancels those that run, and waits for them. [`SHUTDOWN_GRACE`](super::SHUTDOWN_GRACE) is a good
    /// time to wait.
    pub async fn shutdown(&self, grace: Duration) -> Drained {
        self.inner.closing.drain(grace).await
    }

    /// Refuses new calls and waits for those that run, which may end; [`shutdown`](Self::shutdown) then ends what is left.
    pub async fn finish(&self, grace: Duration) -> Drained {
        self.inner.closing.finish(grace).await
    }

    /// Refuses a call whose run has ended, and tells of it as of any other.
    pub(super) async fn refuse_late(&self, call: Call, ctx: &ToolContext, caller: Caller) -> ToolResult {
        self.run(Asked::late(call), ctx, caller).await
    }

    pub(super) async fn run(&self, asked: Asked<'_>, ctx: &ToolContext, caller: Caller) -> ToolResult {
        let scrubs = self.inner.shape.as_ref().filter(|shape| !shape.unscrubbed.contains(asked.tool()));
        let result = match &self.inner.outside {
            Some(outside) => Box::pin(outside.around(self, asked, ctx, caller)).await,
            None => self.inside(asked, ctx, caller, None).await,
        };
        match (scrubs, result) {
            // An error of a step outside of shaping has not been searched yet.
            (Some(shape), Err(error)) => scrub(Err(error), &shape.secrets),
            (_, result) => result,
        }
    }

    /// A call from its name on.
    pub(super) async fn inside(
        &self,
        mut asked: Asked<'_>,
        ctx: &ToolContext,
        caller: Caller,
        facts: Option<Arc<Facts>>,
    ) -> ToolResult {
        let inner = &*self.inner;
        let _running = inner.closing.enter(ctx.running().is_some())?;
        let admitted = inner.admitted(ctx, caller)?;
        let (found, tool) = inner.find(asked.tool(), admitted.as_ref())?;
        if let Some(facts) = &facts {
            facts.met(tool, admitted.as_ref());
        }
        if let Some(admitted) = &admitted
            && let Err((error, hidden)) = admitted.check(tool)
        {
            if let Some(facts) = &facts {
                facts.known().hidden = Some(hidden);
            }
            return Err(error);
        }
        if asked.is_late() {
            return Err(already_finished(tool.name()));
        }
        if let Some(audit) = inner.outside.as_ref().and_then(|outside| outside.audit.as_ref()) {
            audit.check(tool)?;
        }
        let parent = ctx.running();
        if let Some(parent) = parent {
            nested::check(parent, tool)?;
        }
        let recording = recording(&mut asked, ctx)?;
        let now = ctx.now();
        if let Some(deadline) = ctx.deadline() {
            begins(tool, deadline, now)?;
        }
        let own = now + time_limit(tool, admitted.as_ref());
        let begin = Begin {
            executor: self.clone(),
            snapshot: admitted.as_ref().map(|admitted| Arc::clone(&admitted.snapshot)),
            policy: admitted.as_ref().and_then(|admitted| admitted.policy.clone()),
            tool: found,
            caller,
            call_id: asked.take_call_id(),
            deadline: earliest(Some(own), ctx.deadline()),
            recording,
        };
        let inner_ctx = ctx.for_call(|parent| CallScope::new(begin, parent));
        let layered = inner.is_layered(tool);
        // Layers tell each other through it even where nobody outside listens.
        let facts = facts.or_else(|| {
            layered.then(|| {
                let facts = Arc::new(Facts::default());
                facts.met(tool, admitted.as_ref());
                facts
            })
        });
        let keep = Keep {
            // Layers and records look at the arguments, calls within the call are compared with them, and its key is made of them.
            normal: facts.is_some()
                || nested::may_call(tool.def())
                || parent.is_some()
                || ctx.run().is_some()
                || takes_secrets(tool.def()),
            given: admitted.as_ref().is_some_and(|admitted| admitted.policy.is_some()),
        };
        let ctx = inner_ctx;
        if let (true, Some(scope)) = (takes_secrets(tool.def()), ctx.running()) {
            self.keep_secrets(tool.def(), &asked.raw_args(), scope);
        }
        let secrets = || ctx.running().and_then(CallScope::known_secrets);
        let Decoded { run, normal, given, notes } = asked.decode(tool.def(), inner.reading, keep, secrets)?;
        if let (Some(facts), Some(args)) = (&facts, &normal) {
            let mut known = facts.known();
            known.args = Some(Arc::clone(args));
            known.coerced = !notes.is_empty();
        }
        if let (Some(args), Some(scope)) = (&normal, ctx.running()) {
            self.keep_secrets(tool.def(), args, scope);
            if let (Some(facts), Some(own)) = (&facts, scope.own_secrets()) {
                facts.known().secrets = Some(Arc::clone(own));
            }
        }
        if let (Some(args), Some(scope)) = (&normal, ctx.running()) {
            if let Some(parent) = parent {
                nested::check_cycle(parent, tool.name(), args)?;
            }
            scope.keep_args(args);
        }
        let result = match normal.filter(|_| layered) {
            None => {
                if let Some(facts) = &facts {
                    facts.begun();
                }
                run_tool(run, tool, ctx, &inner.abandoned).await
            }
            Some(args) => {
                let mut inv = Invocation { tool, args, ctx: &ctx, caller, ext: Ext::default() };
                if let Some(admitted) = &admitted {
                    inv.ext.insert(admitted.clone());
                    inv.ext.insert(Given(given));
                }
                if let Some(facts) = facts {
                    inv.ext.insert(facts);
                }
                let start = Start::Held(run, Arc::clone(&inner.abandoned));
                let future = Next { layers: &inner.layers, start }.run(inv);
                // Layers are code like any other: a panic in one must not escape either.
                let secrets = ctx.running().and_then(CallScope::known_secrets);
                Guarded::new(tool.name(), secrets, future).await
            }
        };
        if notes.is_empty() { result } else { noted(result, &notes) }
    }

    pub(super) fn at(&self, found: Found) -> Option<&ToolEntry> {
        match found {
            Found::Registry(index) => self.inner.registry.at(index),
            Found::Agent(_) => None,
        }
    }

    pub(super) fn abandoned(&self) -> &Arc<Abandoned> {
        &self.inner.abandoned
    }

    /// Audits a call that is none of a tool, such as the undoing of one.
    pub(crate) fn audit(&self, row: impl FnOnce() -> AuditRow) {
        if let Some(audit) = self.inner.outside.as_ref().and_then(|outside| outside.audit.as_ref()) {
            audit.write(&row(), false);
        }
    }

    /// Where long results are parked.
    pub(crate) fn results(&self) -> Option<&Arc<dyn ResultStore>> {
        self.inner.shape.as_ref().and_then(|shape| shape.results.as_ref())
    }

    pub(crate) fn closing(&self) -> &Closing {
        &self.inner.closing
    }

    /// How many calls run, and how many functions whose calls have ended.
    #[cfg(feature = "test")]
    pub(crate) fn running(&self) -> (usize, usize) {
        (self.inner.closing.running(), self.inner.abandoned.count())
    }
}

impl Inner {
    /// Whether any layer has something to do for a tool.
    pub(super) fn is_layered(&self, tool: &ToolEntry) -> bool {
        self.layers.iter().any(|layer| layer.concerns(tool.def()))
    }

    pub(super) fn admitted(&self, ctx: &ToolContext, caller: Caller) -> Result<Option<Admitted>, ToolError> {
        self.gate.as_ref().map(|gate| gate.admitted(ctx, caller)).transpose()
    }

    /// The tool of a name or alias, also among the agents that the caller may ask. Only names that it sees are suggested.
    pub(super) fn find<'a>(
        &'a self,
        name: &str,
        admitted: Option<&'a Admitted>,
    ) -> Result<(Found, &'a ToolEntry), ToolError> {
        if let Some((index, tool)) = self.registry.position(name) {
            return Ok((Found::Registry(index), tool));
        }
        let agents = admitted.map(|admitted| admitted.snapshot.agent_tools());
        if let Some((index, tool)) = agents.and_then(|agents| agents.position(name)) {
            return Ok((Found::Agent(index), tool));
        }
        let sees = |tool: &&ToolEntry| {
            !tool.def().hidden
                && admitted.is_none_or(|admitted| gate(tool, &admitted.snapshot) == Gate::Visible)
        };
        let all = self.registry.iter().chain(agents.into_iter().flat_map(Registry::iter));
        Err(unknown_tool(&[name], all.filter(sees).flat_map(ToolEntry::spellings)))
    }
}

/// How long a call may take: what the tool says, or less where the policy says so.
fn time_limit(tool: &ToolEntry, admitted: Option<&Admitted>) -> Duration {
    let own = tool.def().timeout.unwrap_or(DEFAULT_TIMEOUT);
    let policy = admitted.and_then(|admitted| admitted.tool_limits(tool).timeout);
    policy.map_or(own, |policy| policy.min(own))
}

/// What a call will know of its record.
pub(super) fn recording(asked: &mut Asked<'_>, ctx: &ToolContext) -> Result<Recording, ToolError> {
    Ok(Recording::new(ctx.run().cloned(), explicit_key(asked)?))
}

/// The key that the caller gave.
#[inline]
pub(super) fn explicit_key(asked: &mut Asked<'_>) -> Result<Option<String>, ToolError> {
    let explicit = asked.take_key();
    if let Some(key) = &explicit {
        check_explicit(key)?;
    }
    Ok(explicit)
}

pub(super) fn earliest(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

pub(super) fn noted(mut result: ToolResult, notes: &Notes) -> ToolResult {
    if let Ok(output) = &mut result {
        tell(notes, &mut output.meta);
    }
    result
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor")
            .field("tools", &self.inner.registry.len())
            .field("layers", &self.layers())
            .finish_non_exhaustive()
    }
}
