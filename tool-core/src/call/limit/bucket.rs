//! A token bucket: `governor`'s on our clock.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::Clock as Ticks;
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};

use crate::call::policy::Rate;
use crate::clock::Clock;

/// A bucket that holds as many tokens as a rate's burst and is filled at the rate.
pub struct RateBucket(RateLimiter<NotKeyed, InMemoryState, Hands, NoOpMiddleware<Duration>>);

/// Our clock, as `governor` reads it.
#[derive(Clone)]
struct Hands(Arc<dyn Clock>);

impl Ticks for Hands {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.now()
    }
}

impl RateBucket {
    /// A full bucket.
    pub fn new(rate: Rate, clock: Arc<dyn Clock>) -> RateBucket {
        // Rounded up, so that rounding never lets more through.
        let nanos = rate.period.as_nanos().div_ceil(u128::from(rate.count.max(1)));
        let between = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX).max(1));
        let burst = NonZeroU32::new(rate.burst).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::with_period(between).unwrap_or(Quota::per_second(NonZeroU32::MIN));
        RateBucket(RateLimiter::direct_with_clock(quota.allow_burst(burst), Hands(clock)))
    }

    /// Takes a token.
    ///
    /// # Errors
    /// How long it takes until there is one, in whole milliseconds, rounded up.
    pub fn take(&self) -> Result<(), Duration> {
        self.0.check().map_err(|refused| {
            let wait = refused.wait_time_from(self.0.clock().now());
            let millis = u64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX);
            Duration::from_millis(millis.max(1))
        })
    }
}

impl std::fmt::Debug for RateBucket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RateBucket")
    }
}
