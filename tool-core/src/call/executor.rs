//! The executor: a registry and the layers around every tool of it. The only way to run a tool.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::approve::{ApprovalLevel, Approve};
use super::decode::{Asked, Decoded, find, notes_json};
use super::identify::Identify;
use super::journal::{JournalMode, Recorder, Shared, SnapshotHook};
use super::layer::{Ext, Invocation, Layer, Next};
use super::recording::Recording;
use super::run::{Abandoned, DEFAULT_TIMEOUT, Start, late, run_inline, run_tool};
use super::{CallScope, Caller};
use crate::args::{ArgIssue, Coerce, Coercion};
use crate::context::ToolContext;
use crate::def::{Handler, Run};
use crate::error::ToolError;
use crate::journal::Journal;
use crate::journal::key::check_explicit;
use crate::output::ToolResult;
use crate::registry::{Registry, ToolEntry};

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
}

impl Call {
    /// A call of a tool.
    pub fn new(tool: impl Into<String>, args: Value) -> Call {
        Call { tool: tool.into(), args, ..Call::default() }
    }
}

/// What a call would do (a dry run).
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The effective name of the tool.
    pub tool: String,
    /// The normal form of the arguments.
    pub args: Value,
    /// Whether somebody would be asked first.
    pub asks: bool,
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
/// assert_eq!(result.structured, Some(json!({"text": "5"})));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Executor {
    inner: Arc<Inner>,
}

struct Inner {
    registry: Registry,
    approve: Option<Arc<Approve>>,
    layers: Vec<Box<dyn Layer>>,
    names: Vec<&'static str>,
    coerce: Coerce,
    abandoned: Arc<Abandoned>,
}

impl Executor {
    /// The executor of a registry. The order of layers is written here and nowhere else.
    pub fn standard(registry: Registry) -> ExecutorBuilder {
        ExecutorBuilder { registry, approve: None, journal: None, own: Vec::new(), coerce: Coerce::Lenient }
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
        self.run(Asked::Call(call), ctx, caller).await
    }

    /// Runs a call whose arguments are the text of one JSON object, as the APIs of models send them; blank is `{}`.
    ///
    /// A call that has nothing wrong is decoded without a tree in between.
    ///
    /// # Errors
    /// As [`call`](Self::call), and those of [`crate::args::parse`].
    pub async fn call_text(&self, tool: &str, text: &str, ctx: &ToolContext, caller: Caller) -> ToolResult {
        self.run(Asked::Text { tool, text }, ctx, caller).await
    }

    /// Runs a call without a runtime around it. A plain function without a time limit runs on the current thread.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub fn call_blocking(&self, call: Call, ctx: &ToolContext, caller: Caller) -> ToolResult {
        self.run_blocking(Asked::Call(call), ctx, caller)
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
        self.run_blocking(Asked::Text { tool, text }, ctx, caller)
    }

    async fn run(&self, mut asked: Asked<'_>, ctx: &ToolContext, caller: Caller) -> ToolResult {
        let inner = &*self.inner;
        let (index, tool) = find(&inner.registry, asked.tool())?;
        let (call_id, recording) = (asked.take_call_id(), recording(&mut asked, ctx)?);
        let keyed = recording.run.is_some() && tool.def().takes_context;
        let ctx =
            ctx.for_call(inner.scope(index, tool, call_id, ctx, caller, Some(DEFAULT_TIMEOUT), recording));
        let keep = inner.is_layered(tool) || keyed;
        let Decoded { run, normal, notes } = asked.decode(tool.def(), inner.coerce, keep)?;
        if let (Some(args), Some(call)) = (&normal, ctx.call()) {
            call.recording().keep_args(args);
        }
        let result = match normal {
            None => run_tool(run, tool, ctx, &inner.abandoned).await,
            Some(args) => {
                let inv = Invocation { tool, args, ctx: &ctx, caller, ext: Ext::default() };
                let start = Start::Held(run, Arc::clone(&inner.abandoned));
                Next { layers: &inner.layers, start }.run(inv).await
            }
        };
        noted(result, &notes)
    }

    fn run_blocking(&self, mut asked: Asked<'_>, ctx: &ToolContext, caller: Caller) -> ToolResult {
        let inner = &*self.inner;
        let (index, tool) = find(&inner.registry, asked.tool())?;
        let keyed = ctx.run().is_some() && tool.def().takes_context;
        let plain = matches!(tool.def().handler, Handler::Sync(_)) && !inner.is_layered(tool) && !keyed;
        if !plain {
            return self.block_on(asked, ctx, caller);
        }
        let (call_id, recording) = (asked.take_call_id(), recording(&mut asked, ctx)?);
        let ctx = ctx.for_call(inner.scope(index, tool, call_id, ctx, caller, None, recording));
        let Decoded { run, notes, .. } = asked.decode(tool.def(), inner.coerce, false)?;
        let result = match (run, ctx.deadline()) {
            (Run::Sync(body), None) => run_inline(body, tool, ctx),
            (Run::Sync(body), Some(deadline)) => {
                let body = move |ctx, tool: &ToolEntry| run_inline(body, tool, ctx);
                on_thread(body, inner, index, ctx, deadline)
            }
            (Run::Async(_), _) => Err(ToolError::internal("A plain function made a future.")),
        };
        noted(result, &notes)
    }

    /// What a call would do: decodes it, and runs nothing.
    ///
    /// # Errors
    /// What the call itself would be refused with.
    pub async fn plan(&self, call: Call, _: &ToolContext, _: Caller) -> Result<Plan, ToolError> {
        let inner = &*self.inner;
        let (_, tool) = find(&inner.registry, &call.tool)?;
        let decoded = Asked::Call(call).decode(tool.def(), inner.coerce, true)?;
        let args = decoded.normal.map_or(Value::Null, |args| (*args).clone());
        let asks = inner.approve.as_ref().is_some_and(|approve| approve.asks(tool, &args));
        Ok(Plan { tool: tool.name().to_owned(), args, asks })
    }

    /// Runs a call on a runtime of its own, on another thread where this one is a runtime's already.
    fn block_on(&self, asked: Asked<'_>, ctx: &ToolContext, caller: Caller) -> ToolResult {
        let work = || -> ToolResult {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| ToolError::internal("No runtime could be started.").source(error))?;
            let result = runtime.block_on(self.run(asked, ctx, caller));
            runtime.shutdown_background();
            result
        };
        if tokio::runtime::Handle::try_current().is_err() {
            return work();
        }
        thread::scope(|scope| scope.spawn(work).join())
            .unwrap_or_else(|_| Err(ToolError::internal("The tool stopped unexpectedly.").code("panic")))
    }
}

impl Inner {
    /// Whether any layer has something to do for a tool.
    fn is_layered(&self, tool: &ToolEntry) -> bool {
        self.layers.iter().any(|layer| layer.concerns(tool.def()))
    }

    #[expect(clippy::too_many_arguments, reason = "each is one thing that a scope knows")]
    fn scope(
        &self,
        index: usize,
        tool: &ToolEntry,
        call_id: Option<String>,
        ctx: &ToolContext,
        caller: Caller,
        default: Option<Duration>,
        recording: Recording,
    ) -> CallScope {
        let parent = ctx.deadline();
        let own = tool.def().timeout.or(default).map(|limit| Instant::now() + limit);
        let deadline = match (own, parent) {
            (Some(own), Some(parent)) => Some(own.min(parent)),
            (own, parent) => own.or(parent),
        };
        CallScope::new(self.registry.clone(), index, caller, call_id, deadline, recording)
    }
}

/// What a call will know of its record.
fn recording(asked: &mut Asked<'_>, ctx: &ToolContext) -> Result<Recording, ToolError> {
    let explicit = asked.take_key();
    if let Some(key) = &explicit {
        check_explicit(key)?;
    }
    let (run, parent) = (ctx.run().cloned(), ctx.scope_of_call().cloned());
    Ok(Recording::new(run, parent, explicit))
}

/// Runs a plain function on a thread of its own and leaves it there when the deadline passes.
fn on_thread(
    body: impl FnOnce(ToolContext, &ToolEntry) -> ToolResult + Send + 'static,
    executor: &Inner,
    index: usize,
    ctx: ToolContext,
    deadline: Instant,
) -> ToolResult {
    let (_waiting, working) = executor.abandoned.admit(&ctx)?;
    let (done, result) = mpsc::sync_channel(1);
    let worker = executor.registry.clone();
    let inner = ctx.clone();
    let gone = || ToolError::internal("The tool stopped unexpectedly.");
    thread::Builder::new()
        .name("tool".to_owned())
        .spawn(move || {
            if let Some(tool) = worker.at(index) {
                let result = body(inner, tool);
                drop(working);
                let _ = done.send(result);
            }
        })
        .map_err(|error| ToolError::unavailable("No thread could be started.").source(error))?;
    let tool = executor.registry.at(index).ok_or_else(gone)?;
    match result.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(gone()),
        Err(mpsc::RecvTimeoutError::Timeout) => {
            ctx.cancel();
            Err(late(tool, result.recv_timeout(Duration::from_millis(500)).ok()))
        }
    }
}

fn noted(mut result: ToolResult, notes: &[Coercion]) -> ToolResult {
    if let (Ok(output), false) = (&mut result, notes.is_empty()) {
        output.meta.insert("coerced".to_owned(), notes_json(notes));
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

/// Configures an executor; a layer that is not asked for is not built.
#[must_use]
pub struct ExecutorBuilder {
    registry: Registry,
    approve: Option<ApprovalLevel>,
    journal: Option<Shared>,
    own: Vec<(Place, Box<dyn Layer>)>,
    coerce: Coerce,
}

/// Where a layer of the user's own stands.
struct Place {
    before: bool,
    anchor: String,
}

/// The steps of a call that a user's layer can stand beside, outermost first.
const STEPS: [&str; 2] = ["decode", "run"];

impl ExecutorBuilder {
    /// How lenient decoding is; lenient by default.
    pub fn coerce(mut self, mode: Coerce) -> Self {
        self.coerce = mode;
        self
    }

    /// Asks the context's approver before calls that need it; without an approver those calls are refused.
    pub fn approve(mut self, level: ApprovalLevel) -> Self {
        self.approve = Some(level);
        self
    }

    /// Records calls. `program` is the name and version that rows carry.
    pub fn journal(
        mut self,
        journal: Arc<dyn Journal>,
        mode: JournalMode,
        program: impl Into<String>,
    ) -> Self {
        self.journal = Some(Shared { journal, mode, program: program.into(), snapshot: None });
        self
    }

    /// Tells somebody of each side effect that ran; only where there is a journal, which must come first.
    pub fn snapshot(mut self, hook: impl SnapshotHook + 'static) -> Self {
        if let Some(journal) = &mut self.journal {
            journal.snapshot = Some(Arc::new(hook));
        }
        self
    }

    /// Adds a layer just outside a step.
    pub fn before(mut self, step: &str, layer: impl Layer + 'static) -> Self {
        self.own.push((Place { before: true, anchor: step.to_owned() }, Box::new(layer)));
        self
    }

    /// Adds a layer just inside a step.
    pub fn after(mut self, step: &str, layer: impl Layer + 'static) -> Self {
        self.own.push((Place { before: false, anchor: step.to_owned() }, Box::new(layer)));
        self
    }

    /// The executor.
    ///
    /// # Errors
    /// `internal`, code `unknown_layer`, for a layer beside a step that does not exist, or outside `decode`.
    pub fn build(self) -> Result<Executor, ToolError> {
        let approve = self.approve.map(|level| Arc::new(Approve::new(level)));
        let mut layers: Vec<Box<dyn Layer>> = Vec::new();
        let mut names = vec!["decode"];
        let journal = self.journal.map(Arc::new);
        if let Some(shared) = &journal {
            layers.push(Box::new(Identify(Arc::clone(shared))));
        }
        if let Some(approve) = &approve {
            layers.push(Box::new(Arc::clone(approve)));
            names.push("approve");
        }
        if let Some(shared) = journal {
            layers.push(Box::new(Recorder(shared)));
            names.push("journal");
        }
        let mut outside = 0;
        for (place, layer) in self.own {
            let known = STEPS.contains(&place.anchor.as_str());
            let inside = (place.anchor.as_str(), place.before) == ("decode", false)
                || (place.anchor.as_str(), place.before) == ("run", true);
            if !known || !inside {
                let side = if place.before { "before" } else { "after" };
                return Err(ToolError::internal(format!("A layer cannot stand {side} `{}`.", place.anchor))
                    .code("unknown_layer")
                    .hint("use after(\"decode\", …) or before(\"run\", …)"));
            }
            // Just inside `decode` is outside of `approve`.
            let at = if place.before { layers.len() } else { outside };
            outside += usize::from(!place.before);
            layers.insert(at, layer);
            // The journal identifies calls in a layer that has no name of its own.
            let named = if place.before { names.len() } else { outside };
            names.insert(named, "own");
        }
        names.push("run");
        let (registry, coerce, abandoned) = (self.registry, self.coerce, Arc::default());
        let inner = Inner { registry, approve, layers, names, coerce, abandoned };
        Ok(Executor { inner: Arc::new(inner) })
    }
}

impl fmt::Debug for ExecutorBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecutorBuilder").field("own_layers", &self.own.len()).finish_non_exhaustive()
    }
}
