//! When this worker last renewed its leases: what decides whether it may still start an effect. (journal.md §11)

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a lease lasts.
pub const LEASE: Duration = Duration::from_secs(30);

/// How often own rows are renewed.
pub const RENEW: Duration = Duration::from_secs(10);

/// How long a worker that could not renew starts no further effect.
pub const STALE: Duration = Duration::from_secs(20);

/// The times of a worker's leases. All workers of a database should have the same; each is shorter than the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leases {
    /// How often own rows are renewed.
    pub renew: Duration,
    /// After how long without that no effect is started, and what must not be done twice is cancelled.
    pub stale: Duration,
    /// How long a lease lasts.
    pub life: Duration,
}

impl Default for Leases {
    fn default() -> Self {
        Leases { renew: RENEW, stale: STALE, life: LEASE }
    }
}

impl Leases {
    /// How long a lease lasts, in milliseconds.
    pub(crate) fn life_ms(&self) -> i64 {
        i64::try_from(self.life.as_millis()).unwrap_or(i64::MAX)
    }
}

/// The leases of one worker.
#[derive(Debug)]
pub(crate) struct Lease {
    pub(crate) times: Leases,
    renewed: Mutex<Instant>,
}

impl Lease {
    pub(crate) fn new(times: Leases) -> Lease {
        Lease { times, renewed: Mutex::new(Instant::now()) }
    }

    pub(crate) fn renewed(&self) {
        *self.renewed.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn age(&self) -> Duration {
        self.renewed.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    pub(crate) fn is_due(&self) -> bool {
        self.age() >= self.times.renew
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.age() >= self.times.stale
    }

    /// Completes when others may take what this worker runs.
    pub(crate) async fn stale(&self) {
        while let Some(left) = self.times.stale.checked_sub(self.age()).filter(|left| !left.is_zero()) {
            tokio::time::sleep(left).await;
        }
    }
}
