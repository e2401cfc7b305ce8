//! Token buckets: `governor`'s on our clock, which give a token back that was taken in vain.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::clock::Clock as Ticks;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::{NotKeyed, StateStore};
use governor::{Quota, RateLimiter};

use crate::call::policy::Rate;
use crate::clock::Clock;

/// A bucket that holds as many tokens as a rate's burst and is filled at the rate.
pub struct RateBucket {
    limiter: RateLimiter<NotKeyed, Level, Hands, NoOpMiddleware<Duration>>,
    level: Level,
    /// What one token takes to come back.
    between: Nanos,
}

/// Our clock, as `governor` reads it.
#[derive(Clone)]
struct Hands(Arc<dyn Clock>);

impl Ticks for Hands {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.now()
    }
}

/// When a bucket will be full again, as `governor` counts it.
#[derive(Clone, Default)]
struct Level(Arc<Mutex<Option<Nanos>>>);

impl StateStore for Level {
    type Key = NotKeyed;

    fn measure_and_replace<T, F, E>(&self, _: &NotKeyed, measure: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut level = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (taken, next) = measure(*level)?;
        *level = Some(next);
        Ok(taken)
    }
}

impl RateBucket {
    /// A full bucket.
    pub fn new(rate: Rate, clock: Arc<dyn Clock>) -> RateBucket {
        // Rounded up, so that rounding never lets more through.
        let nanos = rate.period.as_nanos().div_ceil(u128::from(rate.count.max(1)));
        let nanos = u64::try_from(nanos).unwrap_or(u64::MAX).max(1);
        let burst = NonZeroU32::new(rate.burst).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::with_period(Duration::from_nanos(nanos));
        let quota = quota.unwrap_or(Quota::per_second(NonZeroU32::MIN)).allow_burst(burst);
        let level = Level::default();
        let limiter = RateLimiter::new(quota, level.clone(), Hands(clock));
        RateBucket { limiter, level, between: Nanos::new(nanos) }
    }

    /// Takes a token.
    ///
    /// # Errors
    /// How long it takes until there is one, in whole milliseconds, rounded up.
    pub fn take(&self) -> Result<(), Duration> {
        self.limiter.check().map_err(|refused| {
            let wait = refused.wait_time_from(self.limiter.clock().now());
            let millis = u64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX);
            Duration::from_millis(millis.max(1))
        })
    }

    /// Gives a token back.
    pub(super) fn give_back(&self) {
        let mut level = self.level.0.lock().unwrap_or_else(PoisonError::into_inner);
        *level = level.map(|full| full.saturating_sub(self.between));
    }
}

impl std::fmt::Debug for RateBucket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RateBucket")
    }
}
