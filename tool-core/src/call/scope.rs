//! One call, as its context knows it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::Caller;
use super::recording::Recording;
use crate::context::LazyToken;
use crate::def::{Behavior, ToolDef};
use crate::registry::{Registry, ToolEntry};

/// The tool, caller, effects and limits of a running call.
pub struct CallScope {
    registry: Registry,
    tool: usize,
    caller: Caller,
    call_id: Option<String>,
    deadline: Option<Instant>,
    cancel: LazyToken,
    /// Nanoseconds that the call waited for somebody, which its limits do not count.
    waited: AtomicU64,
    recording: Recording,
}

impl CallScope {
    pub(crate) fn new(
        registry: Registry,
        tool: usize,
        caller: Caller,
        call_id: Option<String>,
        deadline: Option<Instant>,
        recording: Recording,
    ) -> CallScope {
        CallScope {
            registry,
            tool,
            caller,
            call_id,
            deadline,
            cancel: LazyToken::default(),
            waited: AtomicU64::new(0),
            recording,
        }
    }

    fn entry(&self) -> Option<&ToolEntry> {
        self.registry.at(self.tool)
    }

    fn def(&self) -> Option<&ToolDef<'_>> {
        self.entry().map(ToolEntry::def)
    }

    pub(crate) fn recording(&self) -> &Recording {
        &self.recording
    }

    pub(crate) fn tool_def(&self) -> Option<(&str, &ToolDef<'_>)> {
        self.entry().map(|entry| (entry.name(), entry.def()))
    }

    /// The effective name of the tool.
    pub fn tool(&self) -> &str {
        self.entry().map_or("", ToolEntry::name)
    }

    /// What the tool may change: capabilities hold it to that.
    pub fn behavior(&self) -> Behavior {
        self.def().map_or(Behavior::READ, |def| def.behavior)
    }

    /// Who called.
    pub fn caller(&self) -> Caller {
        self.caller
    }

    /// The caller's id of the call, if it gave one.
    pub fn call_id(&self) -> Option<&str> {
        self.call_id.as_deref()
    }

    /// When the call must have ended.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline.map(|deadline| deadline + self.waited())
    }

    /// How long the call waited for somebody.
    pub(crate) fn waited(&self) -> Duration {
        Duration::from_nanos(self.waited.load(Ordering::Relaxed))
    }

    pub(crate) fn add_waited(&self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.waited.fetch_add(nanos, Ordering::Relaxed);
    }

    pub(crate) fn declares(&self, secret: &str) -> bool {
        self.def().is_some_and(|def| def.secrets.iter().any(|declared| declared.key == secret))
    }

    pub(crate) fn cancellation(&self, host: &CancellationToken) -> &CancellationToken {
        self.cancel.get(host)
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

impl std::fmt::Debug for CallScope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallScope")
            .field("tool", &self.tool())
            .field("caller", &self.caller)
            .field("call_id", &self.call_id)
            .finish_non_exhaustive()
    }
}
