//! The small runtime of one run, made only where something has to be waited for.

use tokio::runtime::{Builder, Runtime};
use tool_core::ToolError;

/// A runtime on the current thread.
pub(crate) fn current_thread() -> Result<Runtime, ToolError> {
    let started = Builder::new_current_thread().enable_time().build();
    started.map_err(|error| ToolError::internal("No runtime could be started.").source(error))
}
