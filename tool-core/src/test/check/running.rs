//! Which functions a check runs, and with what.
//!
//! With arguments that nobody wrote only reads run: no side effect, nothing outside the host, and no capability that the test does
//! not provide. What an author wrote down with its result, an example, also runs with effects where the test provides the context.

use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Runtime;
use tracing::{Dispatch, dispatcher};

use super::{Checks, Subject};
use crate::call::{Call, Caller, Executor, ExecutorBuilder};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::output::ToolResult;

impl Checks {
    /// What tools are given.
    pub(super) fn given(&self) -> ToolContext {
        self.context.clone().unwrap_or_else(ToolContext::empty)
    }
}

impl Subject<'_> {
    /// The capabilities that the tool needs and the test does not provide.
    pub(super) fn unmet(&self) -> Vec<&'static str> {
        let ctx = self.checks().given();
        let needed = self.def().capabilities.iter().filter(|capability| !capability.optional);
        needed
            .filter(|capability| !ctx.provides((capability.id)()))
            .map(|capability| capability.short_name())
            .collect()
    }

    /// Whether the tool may run with arguments that nobody wrote.
    pub(super) fn is_harmless(&self) -> bool {
        let behavior = self.def().behavior;
        !behavior.side_effect && !behavior.open_world && self.unmet().is_empty()
    }

    /// The executor of the tools, to be configured.
    pub(super) fn executor(&self) -> ExecutorBuilder {
        Executor::standard(self.registry().clone())
    }

    /// A call of the tool.
    pub(super) fn call(&self, args: &Value) -> Call {
        Call::new(self.name(), args.clone())
    }
}

/// Runs a call; what it logs, also on threads of its own, goes where this thread logs.
pub(super) fn run(builder: ExecutorBuilder, call: Call, ctx: &ToolContext) -> ToolResult {
    let executor = builder.build()?;
    let runtime = runtime()?;
    let result = runtime.block_on(executor.call(call, ctx, Caller::Test));
    runtime.shutdown_background();
    result
}

/// Runs a call for so long at most: nothing where it goes on.
pub(super) fn run_within(
    time: Duration,
    builder: ExecutorBuilder,
    call: Call,
    ctx: &ToolContext,
) -> Option<ToolResult> {
    let (executor, runtime) = (builder.build().ok()?, runtime().ok()?);
    let call = executor.call(call, ctx, Caller::Test);
    let result = runtime.block_on(async { tokio::time::timeout(time, call).await.ok() });
    runtime.shutdown_background();
    result
}

/// Decodes a call, and runs nothing.
pub(super) fn plan(builder: ExecutorBuilder, call: Call, ctx: &ToolContext) -> Result<(), ToolError> {
    let executor = builder.build()?;
    runtime()?.block_on(executor.plan(call, ctx, Caller::Test)).map(drop)
}

fn runtime() -> Result<Runtime, ToolError> {
    let dispatch = dispatcher::get_default(Dispatch::clone);
    let log_there = move || std::mem::forget(dispatcher::set_default(&dispatch));
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().on_thread_start(log_there).build();
    runtime.map_err(|error| ToolError::internal("No runtime could be started.").source(error))
}
