//! Time as a capability: a clock that only goes forward, the time of day, and waiting. Tests stand in for all three.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crate::context::{ContextBuilder, ToolContext};
use crate::def::BoxFuture;
use crate::error::ToolError;

/// What the uses of clocks are told under.
const CAPABILITY: &str = "clock";

/// Time, for `#[ctx] clock: &dyn Clock`.
///
/// ```
/// use std::time::Duration;
/// use tool_core::prelude::*;
/// use tool_core::Clock;
///
/// /// Waits until a job is done.
/// #[tool(register = false)]
/// async fn await_job(/** Its number. */ job: u32, #[ctx] clock: &dyn Clock) -> Result<u64, ToolError> {
///     let began = clock.now();
///     while !is_done(job) {
///         clock.sleep(Duration::from_secs(5)).await?;
///     }
///     Ok((clock.now() - began).as_secs())
/// }
/// # fn is_done(_: u32) -> bool { true }
/// ```
pub trait Clock: Send + Sync {
    /// The time since the clock's own beginning: it never goes back.
    fn now(&self) -> Duration;

    /// The time of day. Somebody may set it, so it tells when something was, and never how long something took.
    fn wall(&self) -> SystemTime;

    /// Completes when so much time has passed.
    ///
    /// # Errors
    /// `cancelled`, or `timeout` when the deadline has passed: the call that was handed the clock is to end.
    fn sleep(&self, time: Duration) -> BoxFuture<'_, Result<(), ToolError>>;
}

/// The clock of the machine, from when it was made. Waiting needs a runtime of tokio.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        SystemClock(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, Result<(), ToolError>> {
        Box::pin(async move {
            tokio::time::sleep(time).await;
            Ok(())
        })
    }
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> Duration {
        (**self).now()
    }

    fn wall(&self) -> SystemTime {
        (**self).wall()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, Result<(), ToolError>> {
        (**self).sleep(time)
    }
}

/// A clock in the hands of one call: nobody waits beyond the end of the call.
struct CallClock {
    clock: Arc<dyn Clock>,
    call: ToolContext,
}

impl Clock for CallClock {
    fn now(&self) -> Duration {
        self.call.accesses(CAPABILITY, format_args!("now"));
        self.clock.now()
    }

    fn wall(&self) -> SystemTime {
        self.call.accesses(CAPABILITY, format_args!("wall"));
        self.clock.wall()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, Result<(), ToolError>> {
        self.call.accesses(CAPABILITY, format_args!("sleep {time:?}"));
        Box::pin(self.call.unless_ended(self.clock.sleep(time)))
    }
}

impl ContextBuilder {
    /// Provides a clock, for `#[ctx] clock: &dyn Clock`.
    pub fn clock(self, clock: impl Clock + 'static) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(clock);
        self.keeps_time(Arc::clone(&clock)).provide_with::<dyn Clock>(move |call| {
            Arc::new(CallClock { clock: Arc::clone(&clock), call: call.clone() })
        })
    }
}
