//! Calls that tools make: through the same executor, within what their own call may do. (calls.md §11)

use std::sync::Arc;

use serde_json::Value;

use super::refuse::refuse;
use super::{Call, CallScope, Caller};
use crate::canonical;
use crate::context::ToolContext;
use crate::def::{Handler, ToolDef};
use crate::error::ToolError;
use crate::output::ToolResult;
use crate::registry::ToolEntry;

/// How deep calls may nest.
pub const CALL_DEPTH: usize = 8;

/// How many calls one root call may lead to.
pub const CALL_BUDGET: u32 = 256;

impl ToolContext {
    /// Calls another tool: for the same agent, no later than this call's deadline, ended with it.
    ///
    /// # Errors
    /// Those of the other call; `denied`, code `call_depth`, `call_budget`, `call_cycle` or `effect_not_declared`, for one
    /// that this call may not make.
    pub async fn call(&self, tool: &str, args: Value) -> ToolResult {
        let Some(running) = self.running() else {
            return Err(ToolError::internal("Only a running call can call another tool.").code("no_call"));
        };
        running.executor().call(Call::new(tool, args), self, Caller::Tool).await
    }
}

/// Whether a tool is handed the context that it may call others by; any other has to look for that of its call.
pub(super) fn may_call(def: &ToolDef<'_>) -> bool {
    def.takes_context || matches!(def.handler, Handler::Dynamic(_))
}

/// Refuses a nested call that its parent may not make, before its arguments are looked at.
pub(super) fn check(parent: &CallScope, tool: &ToolEntry) -> Result<(), ToolError> {
    let name = tool.name();
    if parent.chain().count() >= CALL_DEPTH {
        let text = format!("{name} cannot be called here: {CALL_DEPTH} calls are nested already.");
        return Err(refuse("gate", ToolError::denied(text).code("call_depth")));
    }
    if !parent.behavior().side_effect && tool.def().behavior.side_effect {
        let text = format!("{} only reads, and {name} has side effects.", parent.tool());
        return Err(refuse("gate", ToolError::denied(text).code("effect_not_declared")));
    }
    if parent.count_nested() >= CALL_BUDGET {
        let text = format!("One call may lead to {CALL_BUDGET} others, and this one has.");
        return Err(refuse("gate", ToolError::denied(text).code("call_budget")));
    }
    Ok(())
}

/// Refuses a call that would wait for itself: the same tool with the same arguments runs above it.
pub(super) fn check_cycle(parent: &CallScope, tool: &str, args: &Arc<Value>) -> Result<(), ToolError> {
    let same = |scope: &CallScope| {
        scope.tool() == tool && scope.args().is_some_and(|above| canonical::equal(above, args))
    };
    if !parent.chain().any(same) {
        return Ok(());
    }
    let text = format!("{tool} is being called with these arguments already.");
    Err(refuse("gate", ToolError::denied(text).code("call_cycle")))
}
