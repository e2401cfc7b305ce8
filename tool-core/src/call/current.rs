//! The call that runs in this task or thread, for code that was not handed its context.
//!
//! Most functions never ask. A plain function that is not handed a context runs without one, and it is made when something
//! below it asks for the first time: the same for everybody who asks during the call.

use std::cell::OnceCell;
use std::fmt;

use super::CallScope;
use super::Caller;
use super::executor::Executor;
use super::recording::Recording;
use super::run::cancelled;
use super::scope::{Begin, Found};
use crate::context::{Idle, ToolContext};
use crate::def::ToolDef;
use crate::output::ToolResult;

tokio::task_local! {
    static CURRENT: Current;
}

/// The context of a running call. It is moved twice in every call, so it is small.
enum Current {
    Made(ToolContext),
    /// What it is made of, and the context once somebody has asked for it.
    Unmade(Unmade, OnceCell<Box<ToolContext>>),
}

/// A call that has no context yet: nothing limits its time, and it is nested in none.
pub(super) struct Unmade {
    pub(super) executor: Executor,
    pub(super) host: Idle,
    /// Its place in the registry.
    pub(super) tool: usize,
    pub(super) caller: Caller,
    /// What most callers do not give.
    pub(super) given: Option<Box<Given>>,
}

/// What a caller says of a call besides its arguments.
pub(super) struct Given {
    pub(super) call_id: Option<String>,
    /// The idempotency key.
    pub(super) explicit: Option<String>,
}

impl Unmade {
    fn make(&self) -> ToolContext {
        let given = self.given.as_deref();
        let explicit = given.and_then(|given| given.explicit.clone());
        let begin = Begin {
            executor: self.executor.clone(),
            snapshot: None,
            policy: None,
            tool: Found::Registry(self.tool),
            caller: self.caller,
            call_id: given.and_then(|given| given.call_id.clone()),
            deadline: None,
            recording: Recording::new(None, explicit),
        };
        self.host.context().for_call(|parent| CallScope::new(begin, parent))
    }

    /// Whether the call is not to begin.
    fn is_cancelled(&self) -> bool {
        self.executor.closing().ends_calls() || self.host.is_cancelled()
    }
}

/// A call that runs as soon as its arguments are decoded, without going back to who asked for it.
pub(crate) struct AtOnce {
    /// Until it is begun.
    call: Option<Unmade>,
    /// What came of it.
    pub(super) result: Option<ToolResult>,
}

impl fmt::Debug for AtOnce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AtOnce").field("has_begun", &self.call.is_none()).finish_non_exhaustive()
    }
}

impl AtOnce {
    pub(super) fn new(call: Unmade) -> AtOnce {
        AtOnce { call: Some(call), result: None }
    }

    /// Runs the function, unless the caller went away; in it [`ToolContext::current`] is the context of the call.
    #[inline]
    pub(crate) fn run(&mut self, tool: &ToolDef<'_>, body: impl FnOnce(ToolContext) -> ToolResult) {
        let Some(call) = self.call.take() else { return };
        if call.is_cancelled() {
            self.result = Some(Err(cancelled(tool)));
            return;
        }
        let host = call.host.context();
        let result = &mut self.result;
        CURRENT.sync_scope(Current::Unmade(call, OnceCell::new()), || {
            result.get_or_insert(body(host));
        });
    }

    /// What came of it, to be looked at; nothing where it was not begun.
    pub(super) fn result(&mut self) -> Option<&mut ToolResult> {
        self.result.as_mut()
    }
}

impl Current {
    fn context(&self) -> ToolContext {
        match self {
            Current::Made(made) => made.clone(),
            Current::Unmade(unmade, made) => ToolContext::clone(made.get_or_init(|| Box::new(unmade.make()))),
        }
    }
}

impl ToolContext {
    /// The context of the call that runs in this task or thread, where there is one.
    pub fn current() -> Option<ToolContext> {
        CURRENT.try_with(Current::context).ok()
    }

    /// Runs a future in which [`current`](Self::current) is this context: for work that a tool spawns.
    pub fn scope<F: Future>(&self, future: F) -> impl Future<Output = F::Output> + use<F> {
        CURRENT.scope(Current::Made(self.clone()), future)
    }

    /// Runs a function in which [`current`](Self::current) is this context.
    pub fn scope_sync<T>(&self, body: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(Current::Made(self.clone()), body)
    }
}
