//! The run step: deadline, cancellation and panic guard around the function.
//!
//! A tool that answers at once meets no timer and no lock: its future is polled once before anything is set up to end it.
//! A plain function runs on the blocking pool of the runtime, or on the current thread where there is none.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::CallScope;
use super::decode::decode_again;
use super::metrics::{self, Meter};
use super::panic::{Guarded, guard};
use super::redact::KnownSecrets;
use crate::context::ToolContext;
use crate::def::{Behavior, Run, ToolDef};
use crate::depth::within_depth;
use crate::error::{Effect, ErrorKind, ToolError};
use crate::output::ToolResult;
use crate::registry::ToolEntry;

/// The longest run of a tool that does not say otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a cancelled tool may take to return what it has.
const GRACE: Duration = Duration::from_millis(500);

/// How many plain functions block a thread at once; further ones wait.
pub const BLOCKING_MAX: usize = 32;

/// How many abandoned functions may still block threads before further ones are refused.
const ABANDONED_MAX: usize = 16;

/// How a try gets its arguments.
pub(super) enum Start {
    /// They are decoded already.
    Held(Run, Arc<Abandoned>),
    /// They are decoded again from the normal form.
    Again(Arc<Abandoned>),
}

impl Start {
    /// Runs one try.
    pub(super) async fn run(self, tool: &ToolEntry, normal: &Value, ctx: ToolContext) -> ToolResult {
        let (run, abandoned) = match self {
            Start::Held(run, abandoned) => (run, abandoned),
            Start::Again(abandoned) => (decode_again(tool.def(), normal, || secrets(&ctx))?, abandoned),
        };
        run_tool(run, tool, ctx, &abandoned).await
    }

    /// The same call once more.
    pub(super) fn again(&self) -> Start {
        match self {
            Start::Held(_, abandoned) | Start::Again(abandoned) => Start::Again(Arc::clone(abandoned)),
        }
    }
}

/// The threads that plain functions block, and how many of those their callers have given up on.
pub(super) struct Abandoned {
    count: AtomicUsize,
    threads: Arc<Semaphore>,
    meter: Meter,
}

impl Abandoned {
    pub(super) fn new(meter: Meter) -> Self {
        Self { count: AtomicUsize::new(0), threads: Arc::new(Semaphore::new(BLOCKING_MAX)), meter }
    }

    /// How many functions still run that nobody waits for.
    #[cfg(feature = "test")]
    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Lets one more blocking function start, once a thread is free, unless too many are left behind already. It counts
    /// from when its caller drops [`Waiting`] until it drops [`Working`], whatever becomes of the runtime in between.
    pub(super) async fn admit(
        self: &Arc<Self>,
        tool: &ToolEntry,
        ctx: &ToolContext,
    ) -> Result<(Waiting, Working), ToolError> {
        let exhausted = || {
            ToolError::unavailable("Too many tools that did not stop still run.")
                .code("blocking_pool_exhausted")
                .effect(Effect::None)
        };
        if self.count.load(Ordering::Relaxed) >= ABANDONED_MAX {
            return Err(exhausted());
        }
        let thread = match Arc::clone(&self.threads).try_acquire_owned() {
            Ok(thread) => thread,
            Err(_) => {
                let began = ctx.now();
                let thread = tokio::select! {
                    biased;
                    () = ctx.cancelled() => return Err(cancelled(tool.def()).effect(Effect::None)),
                    thread = Arc::clone(&self.threads).acquire_owned() => thread.map_err(|_| exhausted())?,
                };
                // The time limit is for what the tool does.
                ctx.waited(ctx.now().saturating_duration_since(began));
                thread
            }
        };
        let function = Arc::new(Function { abandoned: Arc::clone(self), left: AtomicBool::new(false) });
        Ok((Waiting(Arc::clone(&function), ctx.clone()), Working(function, thread)))
    }

    /// The same for a caller without a runtime, which blocks until a thread is free.
    pub(super) fn admit_blocking(
        self: &Arc<Self>,
        tool: &ToolEntry,
        ctx: &ToolContext,
    ) -> Result<(Waiting, Working), ToolError> {
        struct Unpark(std::thread::Thread);
        impl std::task::Wake for Unpark {
            fn wake(self: Arc<Self>) {
                self.0.unpark();
            }
        }
        let waker = std::task::Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut context = std::task::Context::from_waker(&waker);
        let mut admitted = pin!(self.admit(tool, ctx));
        loop {
            if let Poll::Ready(admitted) = admitted.as_mut().poll(&mut context) {
                return admitted;
            }
            std::thread::park();
        }
    }
}

/// A blocking function of one call.
struct Function {
    abandoned: Arc<Abandoned>,
    /// Whether the caller or the function itself is done with the call.
    left: AtomicBool,
}

/// The caller of a blocking function. Leaving before its end cancels the call.
pub(super) struct Waiting(Arc<Function>, ToolContext);

impl Drop for Waiting {
    fn drop(&mut self) {
        let Function { abandoned, left } = &*self.0;
        if left.load(Ordering::Acquire) {
            return;
        }
        self.1.cancel();
        abandoned.count.fetch_add(1, Ordering::Relaxed);
        abandoned.meter.record(metrics::RUN_ABANDONED, 1.0, &[]);
        if left.swap(true, Ordering::AcqRel) {
            abandoned.count.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// A blocking function on its thread, which is free again when this is dropped.
pub(super) struct Working(Arc<Function>, #[expect(dead_code, reason = "held")] OwnedSemaphorePermit);

impl Working {
    /// Whether nobody waits for the function any more.
    fn is_left(&self) -> bool {
        self.0.left.load(Ordering::Acquire)
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        if self.0.left.swap(true, Ordering::AcqRel) {
            self.0.abandoned.count.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Runs a tool until it ends, its deadline passes or its call is cancelled.
pub(super) async fn run_tool(
    run: Run,
    tool: &ToolEntry,
    ctx: ToolContext,
    abandoned: &Arc<Abandoned>,
) -> ToolResult {
    if ctx.is_cancelled() {
        return Err(cancelled(tool.def()));
    }
    match run {
        Run::Async(make) => {
            let started = guard_start(tool, || secrets(&ctx), || make(ctx.clone()));
            let guarded = Guarded::new(tool.name(), secrets(&ctx), started?);
            let scoped = ctx.scope(guarded);
            let own = async { within_depth(tool.name(), tool.def().behavior, scoped.await) };
            bounded(own, tool, &ctx).await.map_err(|error| with_emitted(error, &ctx))
        }
        Run::Sync(body) => match Handle::try_current() {
            Ok(runtime) => Box::pin(on_blocking_pool(&runtime, body, tool, ctx, abandoned)).await,
            Err(_) => guarded(body, tool.name(), tool.def().behavior, &ctx),
        },
    }
}

/// Runs a plain function on the current thread.
pub(super) fn run_inline(
    body: impl FnOnce(ToolContext) -> ToolResult,
    tool: &ToolEntry,
    ctx: ToolContext,
) -> ToolResult {
    if ctx.is_cancelled() {
        return Err(cancelled(tool.def()));
    }
    guarded(body, tool.name(), tool.def().behavior, &ctx)
}

/// Runs a plain function; neither its panic nor the depth of its result reaches anybody else's stack.
fn guarded(
    body: impl FnOnce(ToolContext) -> ToolResult,
    tool: &str,
    behavior: Behavior,
    ctx: &ToolContext,
) -> ToolResult {
    let result = guard(tool, || secrets(ctx), || ctx.scope_sync(|| body(ctx.clone())));
    within_depth(tool, behavior, result).map_err(|error| with_emitted(error, ctx))
}

/// What no log may hold.
fn secrets(ctx: &ToolContext) -> Option<&KnownSecrets> {
    ctx.running().and_then(|call| call.known_secrets())
}

/// Making the future runs no code of the author's but moves, yet a panic there must not escape either.
fn guard_start<'s, T>(
    tool: &ToolEntry,
    secrets: impl FnOnce() -> Option<&'s KnownSecrets>,
    make: impl FnOnce() -> T,
) -> Result<T, ToolError> {
    guard(tool.name(), secrets, || Ok(make()))
}

async fn on_blocking_pool(
    runtime: &Handle,
    body: Box<dyn FnOnce(ToolContext) -> ToolResult + Send>,
    tool: &ToolEntry,
    ctx: ToolContext,
    abandoned: &Arc<Abandoned>,
) -> ToolResult {
    let (waiting, working) = abandoned.admit(tool, &ctx).await?;
    let (name, behavior) = (tool.name().to_owned(), tool.def().behavior);
    let inner = ctx.clone();
    let task = runtime.spawn_blocking(move || {
        let result = guarded(body, &name, behavior, &inner);
        // After a try that was given up comes another one, whose outcome is that of the call.
        if let (true, Some(call), None) = (working.is_left(), inner.running(), inner.tried()) {
            call.recording().late(&result);
        }
        drop(working);
        result
    });
    let stopped = || Err(ToolError::internal("The tool stopped unexpectedly.").code("panic"));
    let result = bounded(async { task.await.unwrap_or_else(|_| stopped()) }, tool, &ctx).await;
    drop(waiting);
    result.map_err(|error| with_emitted(error, &ctx))
}

/// Ends a future by its call's deadline or cancellation, with a grace to return what it has.
async fn bounded(
    future: impl Future<Output = ToolResult>,
    tool: &ToolEntry,
    ctx: &ToolContext,
) -> ToolResult {
    let mut future = pin!(future);
    if let Some(result) = poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(result) => Poll::Ready(Some(result)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
    {
        return result;
    }
    // The timers are large, and a call that is over has no use for them.
    let rest = async move {
        let end = tokio::select! {
            biased;
            result = &mut future => return result,
            () = ctx.cancelled() => End::Cancelled,
            () = ctx.late() => End::Late,
        };
        ctx.cancel();
        let last = tokio::time::timeout(GRACE, &mut future).await;
        match (end, last) {
            (End::Cancelled, Ok(Ok(output))) => Ok(output),
            // The tool's own words and what it has so far.
            (End::Cancelled, Ok(Err(own))) if own.kind() == ErrorKind::Cancelled => Err(own),
            (End::Cancelled, Ok(Err(own))) => Err(cancelled(tool.def()).with_details_of(own)),
            (End::Cancelled, Err(_)) => Err(cancelled(tool.def())),
            (End::Late, last) => Err(late(tool, last.ok())),
        }
    };
    Box::pin(rest).await
}

/// Why a running call is ended.
enum End {
    Cancelled,
    Late,
}

/// Refuses a call whose time is over before it begins: like one that is cancelled before, it runs nothing.
pub(super) fn begins(tool: &ToolEntry, deadline: Instant, now: Instant) -> Result<(), ToolError> {
    if deadline <= now { Err(late(tool, None).effect(Effect::None)) } else { Ok(()) }
}

/// The detail with what a call returned after its deadline.
pub(super) const PARTIAL: &str = "partial";

/// The detail that says how many elements a call had emitted.
const EMITTED: &str = "emitted";

/// An error with what the call emitted before it, unless it tells of that itself, or somebody has seen it.
fn with_emitted(error: ToolError, ctx: &ToolContext) -> ToolError {
    let emitted = ctx.running().and_then(CallScope::items).filter(|items| !items.is_shown());
    match emitted.and_then(|items| items.first()) {
        Some((first, count)) if !error.details().contains_key(PARTIAL) => {
            error.detail(PARTIAL, first).detail(EMITTED, count)
        }
        _ => error,
    }
}

/// The error of a call whose deadline passed; what the tool returned in its grace is kept.
pub(super) fn late(tool: &ToolEntry, last: Option<ToolResult>) -> ToolError {
    let error = ToolError::timeout(format!("{} did not finish in time.", tool.name()))
        .retryable(tool.def().behavior.idempotent);
    match last {
        Some(Ok(output)) => error.detail(PARTIAL, output.data()),
        Some(Err(own)) => error.with_details_of(own),
        None => error,
    }
}

/// The error of a call whose caller went away.
pub(super) fn cancelled(tool: &ToolDef<'_>) -> ToolError {
    ToolError::cancelled("The call was cancelled.").retryable(tool.behavior.idempotent)
}
