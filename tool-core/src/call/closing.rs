//! The end of an executor: no new calls, running ones are waited for, or cancelled and waited for.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::refuse::refuse;
use crate::error::ToolError;

/// How long running calls may take to end when a host does not say otherwise.
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);

/// What became of the calls that ran at a shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drained {
    /// How many calls ran when the shutdown began.
    pub running: usize,
    /// How many still ran when the grace was over.
    pub left: usize,
}

/// Whether an executor still takes calls, and how many run.
#[derive(Debug, Default)]
pub(crate) struct Closing {
    begun: AtomicBool,
    /// What the token says, without its lock: every look at a context asks.
    ends_calls: AtomicBool,
    running: AtomicUsize,
    token: CancellationToken,
    ended: Notify,
}

impl Closing {
    /// Whether no new calls are taken.
    fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    /// Whether running calls are to end, too.
    pub(crate) fn ends_calls(&self) -> bool {
        self.ends_calls.load(Ordering::Acquire)
    }

    /// How many calls run.
    #[cfg(feature = "test")]
    pub(crate) fn running(&self) -> usize {
        self.running.load(Ordering::Acquire)
    }

    /// Completes when running calls are to end.
    pub(crate) async fn begins(&self) {
        self.token.cancelled().await;
    }

    /// Counts a call until the guard is dropped. One that a running call makes is let in as long as that may end.
    #[inline]
    pub(super) fn enter(&self, is_nested: bool) -> Result<Running<'_>, ToolError> {
        self.running.fetch_add(1, Ordering::AcqRel);
        let running = Running(self);
        if self.has_begun() && (!is_nested || self.ends_calls()) {
            let error = ToolError::unavailable("This program is shutting down.").code("shutting_down");
            return Err(refuse("run", error));
        }
        Ok(running)
    }

    pub(super) async fn drain(&self, grace: Duration) -> Drained {
        self.begun.store(true, Ordering::Release);
        let running = self.running.load(Ordering::Acquire);
        self.ends_calls.store(true, Ordering::Release);
        self.token.cancel();
        Drained { running, left: self.wait(grace).await }
    }

    pub(super) async fn finish(&self, grace: Duration) -> Drained {
        self.begun.store(true, Ordering::Release);
        let running = self.running.load(Ordering::Acquire);
        Drained { running, left: self.wait(grace).await }
    }

    /// Waits until no call runs, but not longer; says how many still do.
    async fn wait(&self, grace: Duration) -> usize {
        let empty = async {
            loop {
                let ended = self.ended.notified();
                if self.running.load(Ordering::Acquire) == 0 {
                    return;
                }
                ended.await;
            }
        };
        let _ = tokio::time::timeout(grace, empty).await;
        self.running.load(Ordering::Acquire)
    }
}

/// One running call.
pub(super) struct Running<'a>(&'a Closing);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if self.0.running.fetch_sub(1, Ordering::AcqRel) == 1 && self.0.has_begun() {
            self.0.ended.notify_waiters();
        }
    }
}
