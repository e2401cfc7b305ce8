//! Which functions a check runs, and with what.
//!
//! With arguments that nobody wrote only reads run: no side effect, nothing outside the host, and no capability that the test does
//! not provide. What an author wrote down with its result, an example, also runs with effects where the test provides the context.

use serde_json::Value;

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
        needed.filter(|capability| !ctx.provides((capability.id)())).map(|capability| capability.short_name()).collect()
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

/// Runs a call on this thread.
pub(super) fn run(builder: ExecutorBuilder, call: Call, ctx: &ToolContext) -> ToolResult {
    builder.build()?.call_blocking(call, ctx, Caller::Test)
}

/// Decodes a call, and runs nothing.
pub(super) fn plan(builder: ExecutorBuilder, call: Call, ctx: &ToolContext) -> Result<(), ToolError> {
    let executor = builder.build()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .map_err(|error| ToolError::internal("No runtime could be started.").source(error))?;
    runtime.block_on(executor.plan(call, ctx, Caller::Test)).map(drop)
}
