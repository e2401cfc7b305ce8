//! The call that runs in this task or thread, for code that was not handed its context.
//!
//! Most functions never ask. A plain function that is not handed a context runs without one, and it is made when something
//! below it asks for the first time: the same for everybody who asks during the call.

use std::cell::OnceCell;

use super::CallScope;
use super::Caller;
use super::executor::Executor;
use super::recording::Recording;
use super::scope::{Begin, Found};
use crate::context::ToolContext;

tokio::task_local! {
    static CURRENT: Current;
}

/// The context of a running call.
struct Current {
    made: OnceCell<ToolContext>,
    /// What it is made of, where it is not made yet.
    unmade: Option<Unmade>,
}

/// A call that has no context yet: nothing limits its time, and it is nested in none.
pub(super) struct Unmade {
    pub(super) executor: Executor,
    pub(super) host: ToolContext,
    pub(super) tool: Found,
    pub(super) caller: Caller,
    pub(super) call_id: Option<String>,
    /// The idempotency key that the caller gave.
    pub(super) explicit: Option<String>,
}

impl Unmade {
    fn make(&self) -> ToolContext {
        let begin = Begin {
            executor: self.executor.clone(),
            snapshot: None,
            policy: None,
            tool: self.tool,
            caller: self.caller,
            call_id: self.call_id.clone(),
            deadline: None,
            recording: Recording::new(self.host.run().cloned(), self.explicit.clone()),
        };
        self.host.for_call(|parent| CallScope::new(begin, parent))
    }

    /// Whether the call is not to begin.
    pub(super) fn is_cancelled(&self) -> bool {
        self.executor.closing().has_begun() || self.host.is_cancelled()
    }

    /// Runs a function in which [`ToolContext::current`] is the context of this call.
    pub(super) fn scope<T>(self, body: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(Current { made: OnceCell::new(), unmade: Some(self) }, body)
    }
}

impl Current {
    fn of(ctx: &ToolContext) -> Current {
        Current { made: OnceCell::from(ctx.clone()), unmade: None }
    }

    fn context(&self) -> Option<ToolContext> {
        match (self.made.get(), &self.unmade) {
            (Some(made), _) => Some(made.clone()),
            (None, Some(unmade)) => Some(self.made.get_or_init(|| unmade.make()).clone()),
            (None, None) => None,
        }
    }
}

impl ToolContext {
    /// The context of the call that runs in this task or thread, where there is one.
    pub fn current() -> Option<ToolContext> {
        CURRENT.try_with(Current::context).ok().flatten()
    }

    /// Runs a future in which [`current`](Self::current) is this context: for work that a tool spawns.
    pub fn scope<F: Future>(&self, future: F) -> impl Future<Output = F::Output> + use<F> {
        CURRENT.scope(Current::of(self), future)
    }

    /// Runs a function in which [`current`](Self::current) is this context.
    pub fn scope_sync<T>(&self, body: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(Current::of(self), body)
    }
}
