//! A plain function with a deadline and no runtime: on a thread of its own.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::executor::Executor;
use super::run::late;
use super::scope::Found;
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::output::ToolResult;
use crate::registry::ToolEntry;

/// Runs a plain function on a thread of its own and leaves it there when the deadline passes.
pub(super) fn on_thread(
    body: impl FnOnce(ToolContext, &ToolEntry) -> ToolResult + Send + 'static,
    executor: &Executor,
    tool: Found,
    ctx: ToolContext,
    deadline: Instant,
) -> ToolResult {
    let gone = || ToolError::internal("The tool stopped unexpectedly.");
    let entry = executor.at(tool).ok_or_else(gone)?;
    let (_waiting, working) = executor.abandoned().admit_blocking(entry, &ctx)?;
    let (done, result) = mpsc::sync_channel(1);
    let worker = executor.clone();
    let inner = ctx.clone();
    thread::Builder::new()
        .name("tool".to_owned())
        .spawn(move || {
            if let Some(tool) = worker.at(tool) {
                let result = body(inner, tool);
                drop(working);
                let _ = done.send(result);
            }
        })
        .map_err(|error| ToolError::unavailable("No thread could be started.").source(error))?;
    let deadline = deadline + ctx.running().map(|call| call.waited()).unwrap_or_default();
    match result.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(gone()),
        Err(mpsc::RecvTimeoutError::Timeout) => {
            ctx.cancel();
            Err(late(entry, result.recv_timeout(Duration::from_millis(500)).ok()))
        }
    }
}
