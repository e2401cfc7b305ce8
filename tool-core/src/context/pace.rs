//! What the time limits of calls go by: the clock of the machine or, in a test, that of its kit.

use std::future::pending;
use std::time::{Duration, Instant};

use super::ToolContext;
#[cfg(feature = "test")]
use crate::clock::Clock as _;

impl ToolContext {
    /// Now, by what deadlines go by.
    #[inline]
    pub(crate) fn now(&self) -> Instant {
        #[cfg(feature = "test")]
        if let Some(clock) = &self.host.pace {
            return clock.instant();
        }
        Instant::now()
    }

    /// How much time the call has left; `None` where nothing limits it. Capabilities ask for it rather than comparing the
    /// [deadline](Self::deadline) with the clock of the machine: in a test the time limits of calls go by the clock of its kit.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline().map(|deadline| deadline.saturating_duration_since(self.now()))
    }

    /// Completes when the call has no time left; never where nothing limits it.
    pub async fn late(&self) {
        let Some(deadline) = self.deadline() else { return pending().await };
        #[cfg(feature = "test")]
        if let Some(clock) = &self.host.pace {
            return clock.reaches(deadline).await;
        }
        tokio::time::sleep_until(deadline.into()).await;
    }

    /// Completes when a time is over that something may take at most; nobody hurries for it.
    pub(crate) async fn over(&self, time: Duration) {
        #[cfg(feature = "test")]
        if let Some(clock) = &self.host.pace {
            return clock.reaches(clock.instant() + time).await;
        }
        tokio::time::sleep(time).await;
    }

    /// Completes after a time, as the clock goes that deadlines go by: for what waits on behalf of a call, and not in it.
    pub(crate) async fn pause(&self, time: Duration) {
        #[cfg(feature = "test")]
        if let Some(clock) = &self.host.pace {
            // It never refuses: only in the hands of a call does a sleep end before its time.
            let _ = clock.sleep(time).await;
            return;
        }
        tokio::time::sleep(time).await;
    }

    /// Whether the time limits of calls go by the clock of a test, which only a runtime waits for.
    pub(crate) fn is_paced(&self) -> bool {
        #[cfg(feature = "test")]
        return self.host.pace.is_some();
        #[cfg(not(feature = "test"))]
        false
    }
}
