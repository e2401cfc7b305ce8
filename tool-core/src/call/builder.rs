//! Configuring an executor. The order of the steps of a call is written here and nowhere else.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::approvals::Approvals;
use super::approve::{ApprovalLevel, Approve};
use super::audit::{Audit, AuditSettings};
use super::check::{Check, CheckMode};
use super::decode::Reading;
use super::executor::{Executor, Inner};
use super::gate::{Gatekeeper, Judge, Snapshots};
use super::identify::Identify;
use super::journal::{JOURNAL_WAIT, JournalMode, Recorder, Shared};
use super::layer::Layer;
#[cfg(feature = "limit")]
use super::limit::{Limit, LimitSettings};
use super::metrics::{Meter, Metrics};
use super::outside::Outside;
use super::policy::Policy;
use super::question::Questions;
use super::retry::Retry;
use super::run::Abandoned;
use super::secrets::takes_secrets;
use super::shape::{READ_RESULT, ReadResultTool, ResultStore, Shape, ShapeSettings, no_reader};
use super::snapshot::SnapshotHook;
use super::traceparent::TraceLink;
use crate::args::Coerce;
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::journal::Journal;
use crate::registry::{Registry, ToolEntry};

/// The steps of a call that a layer can stand beside, outermost first.
const STEPS: [&str; 9] = ["decode", "gate", "approve", "limit", "journal", "shape", "check", "retry", "run"];

/// The layer that finds out which call a call is: just inside of decoding.
const IDENTIFY: &str = "identify";

/// Configures an executor; a layer that is not asked for is not built.
#[must_use]
pub struct ExecutorBuilder {
    registry: Registry,
    snapshots: Option<Box<dyn Snapshots>>,
    policy: Option<Arc<dyn Policy>>,
    approve: Option<ApprovalLevel>,
    approvals: Option<Box<dyn Approvals>>,
    approval_key: [u8; 32],
    #[cfg(feature = "limit")]
    limit: Option<LimitSettings>,
    journal: Option<Shared>,
    shape: Option<ShapeSettings>,
    check: Option<CheckMode>,
    retries: u32,
    try_timeout: Option<Duration>,
    trace: bool,
    trace_link: Option<Arc<dyn TraceLink>>,
    trace_content: bool,
    audit: Option<AuditSettings>,
    metrics: Meter,
    own: Vec<Own>,
    reading: Reading,
    context: Option<ToolContext>,
}

/// A layer of the user's own, and where it stands.
struct Own {
    before: bool,
    step: String,
    layer: Box<dyn Layer>,
}

impl ExecutorBuilder {
    pub(super) fn new(registry: Registry) -> ExecutorBuilder {
        ExecutorBuilder {
            registry,
            snapshots: None,
            policy: None,
            approve: None,
            approvals: None,
            approval_key: [0; 32],
            #[cfg(feature = "limit")]
            limit: None,
            journal: None,
            shape: None,
            check: None,
            retries: 0,
            try_timeout: None,
            trace: false,
            trace_link: None,
            trace_content: false,
            audit: None,
            metrics: Meter::default(),
            own: Vec::new(),
            reading: Reading::default(),
            context: None,
        }
    }

    /// The tools.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Offers other tools.
    pub fn tools(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// How lenient decoding is; lenient by default.
    pub fn coerce(mut self, mode: Coerce) -> Self {
        self.reading.coerce = mode;
        self
    }

    /// The most bytes of text, or of compact JSON, that arguments may have; [`MAX_ARGS_BYTES`](crate::args::MAX_ARGS_BYTES) by
    /// default.
    pub fn max_args_bytes(mut self, bytes: usize) -> Self {
        self.reading.max_bytes = bytes;
        self
    }

    /// Lets callers see only what their snapshot enables: that of their context, else what this source makes.
    pub fn gate(mut self, snapshots: impl Snapshots + 'static) -> Self {
        self.snapshots = Some(Box::new(snapshots));
        self
    }

    /// Judges calls by a policy. Without [`gate`](Self::gate) its rows are all that agents see.
    pub fn policy(mut self, policy: Arc<dyn Policy>) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Asks the context's approver before calls that need it; without an approver those calls are refused.
    pub fn approve(mut self, level: ApprovalLevel) -> Self {
        self.approve = Some(level);
        self
    }

    /// The context of the calls to come must provide what the tools need.
    pub fn capabilities(mut self, ctx: &ToolContext) -> Self {
        self.context = Some(ctx.clone());
        self
    }

    /// Where approvals are kept, in place of the process's memory, and the key that secret arguments are digested with in
    /// what they are bound to.
    pub fn approvals(mut self, approvals: impl Approvals + 'static, key: [u8; 32]) -> Self {
        self.approvals = Some(Box::new(approvals));
        self.approval_key = key;
        self
    }

    /// Limits how often and how many calls run at once. A policy brings the limits with their default settings.
    #[cfg(feature = "limit")]
    pub fn limit(mut self, settings: LimitSettings) -> Self {
        self.limit = Some(settings);
        self
    }

    /// Records calls. `program` is the name and version that rows carry.
    pub fn journal(
        mut self,
        journal: Arc<dyn Journal>,
        mode: JournalMode,
        program: impl Into<String>,
    ) -> Self {
        let program = program.into();
        let questions = Arc::new(Questions::new(None));
        let (wait, snapshot, replay_reads) = (JOURNAL_WAIT, None, false);
        self.journal = Some(Shared { journal, mode, program, snapshot, replay_reads, wait, questions });
        self
    }

    /// How long a call waits for an equal one that runs, [`JOURNAL_WAIT`] by default; only where there is a journal, which must
    /// come first.
    pub fn journal_wait(mut self, wait: Duration) -> Self {
        if let Some(journal) = &mut self.journal {
            journal.wait = wait;
        }
        self
    }

    /// Gives reads of earlier attempts their recorded results again, so that a run that is started over sees what it saw;
    /// only where there is a journal of all calls, which must come first.
    pub fn replay_reads(mut self) -> Self {
        if let Some(journal) = &mut self.journal {
            journal.replay_reads = true;
        }
        self
    }

    /// Tells somebody of each side effect that ran; only where there is a journal, which must come first.
    pub fn snapshot(mut self, hook: impl SnapshotHook + 'static) -> Self {
        if let Some(journal) = &mut self.journal {
            journal.snapshot = Some(Arc::new(hook));
        }
        self
    }

    /// Scrubs, cuts and parks results. Where results are parked the registry must have
    /// [`ReadResultTool`](crate::ReadResultTool).
    pub fn shape(mut self, settings: ShapeSettings) -> Self {
        self.shape = Some(settings);
        self
    }

    /// Parks results that are too long for a model, and offers the tool that reads them; results are shaped as they were asked
    /// to be before, else with the default settings.
    ///
    /// # Errors
    /// Where another tool of the registry is called [`READ_RESULT`].
    pub fn park(mut self, results: Arc<dyn ResultStore>) -> Result<Self, ToolError> {
        if self.registry.get(READ_RESULT).is_none() {
            self.registry = self.registry.to_builder().add::<ReadResultTool>().build()?;
        }
        let shape = self.shape.unwrap_or_default();
        self.shape = Some(ShapeSettings { results: Some(results), ..shape });
        Ok(self)
    }

    /// Holds structured results against their schemas.
    pub fn check(mut self, mode: CheckMode) -> Self {
        self.check = Some(mode);
        self
    }

    /// Tries reads and idempotent changes so often again while that can help; 0 never does.
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Ends each try of a call that may be tried again after so long, for another one: without it a try may take all the time that
    /// the call has.
    pub fn try_timeout(mut self, limit: Duration) -> Self {
        self.try_timeout = Some(limit);
        self
    }

    /// Opens a span for every call.
    pub fn trace(mut self) -> Self {
        self.trace = true;
        self
    }

    /// Opens a span for every call, and ties it to the trace of its caller.
    pub fn trace_link(mut self, link: impl TraceLink + 'static) -> Self {
        self.trace = true;
        self.trace_link = Some(Arc::new(link));
        self
    }

    /// Puts arguments and results into the spans, redacted as for audit.
    pub fn trace_content(mut self) -> Self {
        self.trace_content = true;
        self
    }

    /// Writes an audit row for every call.
    pub fn audit(mut self, settings: AuditSettings) -> Self {
        self.audit = Some(settings);
        self
    }

    /// Measures every call.
    pub fn metrics(mut self, metrics: Arc<dyn Metrics>) -> Self {
        self.metrics = Meter(Some(metrics));
        self
    }

    /// Adds a layer just outside a step.
    pub fn before(mut self, step: &str, layer: impl Layer + 'static) -> Self {
        self.own.push(Own { before: true, step: step.to_owned(), layer: Box::new(layer) });
        self
    }

    /// Adds a layer just inside a step.
    pub fn after(mut self, step: &str, layer: impl Layer + 'static) -> Self {
        self.own.push(Own { before: false, step: step.to_owned(), layer: Box::new(layer) });
        self
    }

    /// The executor.
    ///
    /// # Errors
    /// `internal`, code `unknown_layer`, for a layer beside a step that does not exist, or outside `decode`, or
    /// `read_result_missing` where parked results could not be read;
    /// `not_configured`, code `capability_missing`, for what the tools need and the context does not provide, or
    /// `journal_key_missing` where a tool has a secret argument and the journal no key.
    pub fn build(self) -> Result<Executor, ToolError> {
        if let Some(ctx) = &self.context {
            self.registry.check_capabilities(ctx)?;
        }
        if let Some(shared) = self.journal.as_ref().filter(|shared| !shared.journal.has_pepper()) {
            let kept = |tool: &&ToolEntry| takes_secrets(tool.def()) && shared.concerns(tool.def());
            if let Some(tool) = self.registry.iter().find(kept) {
                return Err(no_pepper(tool.name()));
            }
        }
        let by_policy = self.policy.is_some();
        let gated = self.snapshots.is_some() || self.policy.is_some();
        let gate = gated.then(|| Arc::new(Gatekeeper::new(&self.registry, self.snapshots, self.policy)));
        let (questions, key) = (Arc::new(Questions::new(self.approvals)), self.approval_key);
        let level = self.approve.or_else(|| by_policy.then(ApprovalLevel::default));
        let approve =
            level.map(|level| Arc::new(Approve::new(level, by_policy, Arc::clone(&questions), key)));
        let mut chain = Chain::default();
        let journal = self.journal.map(|journal| Arc::new(Shared { questions, ..journal }));
        if let Some(shared) = &journal {
            chain.add(IDENTIFY, Box::new(Identify(Arc::clone(shared))));
        }
        if gate.is_some() {
            chain.add("gate", Box::new(Judge));
        }
        if let Some(approve) = &approve {
            chain.add("approve", Box::new(Arc::clone(approve)));
        }
        #[cfg(feature = "limit")]
        if let Some(settings) = self.limit.or_else(|| by_policy.then(LimitSettings::default)) {
            chain.add("limit", Box::new(Limit::new(settings)));
        }
        if let Some(shared) = journal {
            chain.add("journal", Box::new(Recorder(shared)));
        }
        let shape = self.shape.map(Arc::new);
        if let Some(settings) = &shape {
            if settings.results.is_some() && self.registry.get(READ_RESULT).is_none() {
                return Err(no_reader());
            }
            chain.add("shape", Box::new(Shape(Arc::clone(settings))));
        }
        if let Some(mode) = self.check {
            chain.add("check", Box::new(Check::new(mode)));
        }
        if self.retries > 0 {
            chain.add("retry", Box::new(Retry { again: self.retries, each: self.try_timeout }));
        }
        let meter = self.metrics;
        let audit = self.audit.map(|settings| Arc::new(Audit::new(settings, meter.clone())));
        let outer = [("trace", self.trace), ("audit", audit.is_some())];
        let outer: Vec<&str> = outer.into_iter().filter(|row| row.1).map(|row| row.0).collect();
        for own in self.own {
            chain.add_own(own)?;
        }
        let (layers, names) = chain.finish(outer);
        let is_seen = self.trace || audit.is_some() || meter.0.is_some();
        let abandoned = Arc::new(Abandoned::new(meter.clone()));
        let (trace, link, content) = (self.trace, self.trace_link, self.trace_content);
        let outside = is_seen.then_some(Outside { trace, link, content, audit, meter });
        let (registry, reading) = (self.registry, self.reading);
        Ok(Executor::of(Inner {
            registry,
            gate,
            approve,
            shape,
            outside,
            layers,
            names,
            reading,
            abandoned,
            closing: Arc::default(),
        }))
    }
}

/// Why an executor cannot be built: the journal would hold what is guessed easily.
fn no_pepper(tool: &str) -> ToolError {
    ToolError::not_configured(format!(
        "{tool} has a secret argument, and the journal has no key to digest it with."
    ))
    .code("journal_key_missing")
    .hint("set TOOLBOX_JOURNAL_KEY to 64 hex digits, the same for all workers")
}

/// The layers of an executor, each with its place.
#[derive(Default)]
struct Chain(Vec<(Place, &'static str, Box<dyn Layer>)>);

/// A place in the chain: the number of the step, whether just outside (0), in (1) or just inside (2) of it.
type Place = (usize, u8);

fn step(name: &str) -> Option<usize> {
    STEPS.iter().position(|step| *step == name)
}

impl Chain {
    fn add(&mut self, name: &'static str, layer: Box<dyn Layer>) {
        self.0.push(((step(name).unwrap_or(0), 1), name, layer));
    }

    fn add_own(&mut self, own: Own) -> Result<(), ToolError> {
        let Own { before, step: name, layer } = own;
        let outside = ("decode", true);
        let inside = ("run", false);
        let at = step(&name).filter(|_| ![outside, inside].contains(&(name.as_str(), before)));
        let Some(at) = at else {
            let side = if before { "before" } else { "after" };
            return Err(ToolError::internal(format!("A layer cannot stand {side} `{name}`."))
                .code("unknown_layer")
                .hint(format!(
                    "use after(\"decode\", …) to before(\"run\", …); the steps are {}",
                    STEPS.join(", ")
                )));
        };
        self.0.push(((at, if before { 0 } else { 2 }), "own", layer));
        Ok(())
    }

    fn finish(mut self, outer: Vec<&'static str>) -> (Vec<Box<dyn Layer>>, Vec<&'static str>) {
        // Stable: layers of one place stand in the order in which they were added.
        self.0.sort_by_key(|row| row.0);
        let (mut layers, mut names) = (Vec::new(), outer);
        names.push("decode");
        for (_, name, layer) in self.0 {
            layers.push(layer);
            // Calls are identified within decoding: that is no step of its own.
            if name != IDENTIFY {
                names.push(name);
            }
        }
        names.push("run");
        (layers, names)
    }
}

impl fmt::Debug for ExecutorBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecutorBuilder").field("own_layers", &self.own.len()).finish_non_exhaustive()
    }
}
