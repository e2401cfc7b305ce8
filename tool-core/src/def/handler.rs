//! How a call enters a tool: first the arguments, then, with a context, the function.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::args::Args;
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::output::ToolResult;

/// A boxed future, as layers and tools return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The first half of a tool: takes every parameter, reports all issues at once, does no I/O.
pub type Enter = fn(&mut Args<'_>) -> Result<Run, ToolError>;

/// How a call enters a tool.
#[derive(Clone, Copy)]
pub enum Handler<'a> {
    /// A plain function; it may block.
    Sync(Enter),
    /// An `async` function.
    Async(Enter),
    /// A tool that is made at run time.
    Dynamic(&'a dyn DynHandler),
}

impl fmt::Debug for Handler<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Handler::Sync(_) => "Sync",
            Handler::Async(_) => "Async",
            Handler::Dynamic(_) => "Dynamic",
        })
    }
}

/// The first half of a schema-only tool.
pub trait DynHandler: Send + Sync {
    /// Takes the arguments and returns the second half.
    fn enter(&self, args: &mut Args<'_>) -> Result<Run, ToolError>;
}

/// The second half of a tool: it owns the decoded arguments and runs once, with a context.
pub enum Run {
    /// Calls the function on the current thread.
    Sync(Box<dyn FnOnce(ToolContext) -> ToolResult + Send>),
    /// Makes the function's future.
    Async(Box<dyn FnOnce(ToolContext) -> BoxFuture<'static, ToolResult> + Send>),
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Run::Sync(_) => "Run::Sync",
            Run::Async(_) => "Run::Async",
        })
    }
}

impl Run {
    /// A run of a plain function.
    pub fn blocking(body: impl FnOnce(ToolContext) -> ToolResult + Send + 'static) -> Run {
        Run::Sync(Box::new(body))
    }

    /// A run of an `async` function.
    pub fn future<F>(body: impl FnOnce(ToolContext) -> F + Send + 'static) -> Run
    where
        F: Future<Output = ToolResult> + Send + 'static,
    {
        Run::Async(Box::new(move |ctx| Box::pin(body(ctx))))
    }
}
