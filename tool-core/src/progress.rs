//! How far a long call is, told to whoever shows it: a bar on a terminal, a notification of MCP.

use crate::context::ToolContext;

/// One report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// Work done so far, in the tool's own unit; it never falls.
    pub done: f64,
    /// All work, if known, in the same unit.
    pub total: Option<f64>,
    /// What is being done.
    pub message: Option<&'a str>,
}

/// Receives the progress of calls. It must not block.
pub trait ProgressSink: Send + Sync {
    /// Takes one report of a call.
    fn report(&self, ctx: &ToolContext, progress: Progress<'_>);
}
