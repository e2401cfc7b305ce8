//! The places of running commands: so many at once, so many waiting (sandbox.md §10).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::limits::Limits;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tool_core::{Effect, ToolError};

/// When a caller that found the queue full may come back.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// A fair queue.
#[derive(Debug)]
pub(super) struct Queue {
    places: Arc<Semaphore>,
    waiting: AtomicU64,
    parallel: u64,
    queued: u64,
}

/// A place; given back when dropped.
pub(super) type Place = OwnedSemaphorePermit;

/// Counts a caller that waits, also when it goes away.
struct Waiting<'a>(&'a AtomicU64);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Queue {
    pub(super) fn new(limits: &Limits) -> Self {
        let parallel = usize::try_from(limits.parallel_commands).unwrap_or(Semaphore::MAX_PERMITS);
        Self {
            places: Arc::new(Semaphore::new(parallel.min(Semaphore::MAX_PERMITS))),
            waiting: AtomicU64::new(0),
            parallel: limits.parallel_commands,
            queued: limits.queued_commands,
        }
    }

    /// Waits for a place.
    ///
    /// # Errors
    /// `rate_limited`/`queue_full`.
    pub(super) async fn enter(&self) -> Result<Place, ToolError> {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            return Ok(place);
        }
        let before = self.waiting.fetch_add(1, Ordering::AcqRel);
        let _waiting = Waiting(&self.waiting);
        if before >= self.queued {
            return Err(self.full());
        }
        Arc::clone(&self.places).acquire_owned().await.map_err(|_| self.full())
    }

    fn full(&self) -> ToolError {
        let message = format!("{} commands run and {} wait.", self.parallel, self.queued);
        ToolError::rate_limited(message).code("queue_full").retry_after(RETRY_AFTER).effect(Effect::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_queue_refuses_and_a_place_given_back_is_taken() {
        let queue =
            Arc::new(Queue::new(&Limits { parallel_commands: 1, queued_commands: 1, ..Limits::default() }));
        let place = queue.enter().await.unwrap();
        let waiting = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.enter().await.map(drop) }
        });
        while queue.waiting.load(Ordering::Acquire) == 0 {
            tokio::task::yield_now().await;
        }
        let error = queue.enter().await.unwrap_err();
        assert_eq!((error.code_str(), error.message()), ("queue_full", "1 commands run and 1 wait."));
        drop(place);
        waiting.await.unwrap().unwrap();
        assert!(queue.enter().await.is_ok());
    }
}
