//! One try of a call that is tried again: it has a time limit and a cancellation of its own. (calls.md §9)

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// A try.
#[derive(Debug)]
pub(crate) struct Try {
    cancel: CancellationToken,
    ends: Instant,
    /// How long the call had waited for somebody when it began.
    waited: Duration,
}

impl Try {
    /// A try that begins now, of a call that has waited so long for somebody.
    pub(crate) fn new(cancel: CancellationToken, ends: Instant, waited: Duration) -> Try {
        Try { cancel, ends, waited }
    }

    /// The token that ends it; that of the call ends it, too.
    pub(crate) fn cancellation(&self) -> &CancellationToken {
        &self.cancel
    }

    /// When it must have ended, now that the call has waited so long for somebody.
    pub(crate) fn deadline(&self, waited: Duration) -> Instant {
        self.ends + waited.saturating_sub(self.waited)
    }
}
