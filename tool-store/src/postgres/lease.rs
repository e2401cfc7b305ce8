//! When this worker last renewed its leases: what decides whether it may still start an effect. (journal.md §11)

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::backend::{RENEW, STALE};

/// The leases of one worker.
#[derive(Debug)]
pub(crate) struct Lease(Mutex<Instant>);

impl Lease {
    pub(crate) fn new() -> Lease {
        Lease(Mutex::new(Instant::now()))
    }

    pub(crate) fn renewed(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn age(&self) -> std::time::Duration {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    pub(crate) fn is_due(&self) -> bool {
        self.age() >= RENEW
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.age() >= STALE
    }

    /// Completes when others may take what this worker runs.
    pub(crate) async fn stale(&self) {
        while let Some(left) = STALE.checked_sub(self.age()).filter(|left| !left.is_zero()) {
            tokio::time::sleep(left).await;
        }
    }
}
