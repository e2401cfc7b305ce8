//! The call that uses a fake, for what is told of unexpected use.

use crate::context::ToolContext;

/// The code of an error that a fake answers with where the test has written down nothing.
pub(super) const NOT_SCRIPTED: &str = "not_scripted";

/// ` by TOOL (CALL)`; nothing outside a call.
pub(super) fn by() -> String {
    let call = ToolContext::current();
    match call.as_ref().and_then(ToolContext::running) {
        Some(call) => format!(" by {} ({})", call.tool(), call.call_id().unwrap_or("a call without an id")),
        None => String::new(),
    }
}
