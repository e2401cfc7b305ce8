//! A clock that stands still until a test moves it.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::Notify;

use super::blocking::block_on;
use crate::clock::Clock;
use crate::def::BoxFuture;
use crate::error::ToolError;

/// The time of day at which clocks of tests begin.
const BEGINNING: &str = "2026-01-01T00:00:00Z";

/// How long a test waits, by the machine's own clock, for somebody to go to sleep.
const PATIENCE: Duration = Duration::from_secs(10);

/// A clock that a test moves. The clock that only goes forward begins at zero, the time of day where it is told; moving goes for
/// both, and [`put_wall`](Self::put_wall) for the time of day alone. Clones are the same clock.
///
/// ```
/// use std::time::Duration;
/// use tool_core::Clock;
/// use tool_core::test::FakeClock;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let clock = FakeClock::at("2026-03-01T12:00:00Z");
/// let sleeper = tokio::spawn({
///     let clock = clock.clone();
///     async move { clock.sleep(Duration::from_secs(30)).await }
/// });
/// clock.asleep(1).await;
/// clock.advance(Duration::from_secs(30));
/// sleeper.await.unwrap().unwrap();
/// assert_eq!(clock.now().as_secs(), 30);
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FakeClock(Arc<Hands>);

#[derive(Debug)]
struct Hands {
    /// The beginning, as the machine has it: deadlines count from there.
    origin: Instant,
    at: Mutex<Time>,
    /// Somebody went to sleep.
    slept: Notify,
}

#[derive(Debug)]
struct Time {
    now: Duration,
    wall: SystemTime,
    /// Nobody waits: whoever sleeps moves the clock.
    hurries: bool,
    /// Those who sleep, by when they wake, and then by when they went to sleep.
    sleepers: BTreeMap<(Duration, u64), Sleeper>,
    slept: u64,
}

#[derive(Debug)]
struct Sleeper {
    waker: Waker,
    /// It is a time limit, for which nobody hurries.
    is_limit: bool,
}

impl Default for FakeClock {
    fn default() -> Self {
        FakeClock::at(BEGINNING)
    }
}

impl FakeClock {
    /// A clock that begins at this time of day, in the form of RFC 3339.
    ///
    /// # Panics
    /// For a text that is no such time.
    #[track_caller]
    pub fn at(wall: &str) -> FakeClock {
        FakeClock::new(time_of_day(wall))
    }

    /// A clock that begins at this time of day.
    pub fn new(wall: SystemTime) -> FakeClock {
        let time = Time { now: Duration::ZERO, wall, hurries: false, sleepers: BTreeMap::new(), slept: 0 };
        FakeClock(Arc::new(Hands { origin: Instant::now(), at: Mutex::new(time), slept: Notify::new() }))
    }

    /// From now on nobody sleeps: the clock is moved by as much as somebody wants to wait.
    pub fn hurry(&self) {
        let sleepers = {
            let mut held = self.held();
            held.hurries = true;
            std::mem::take(&mut held.sleepers)
        };
        sleepers.into_values().for_each(|sleeper| sleeper.waker.wake());
    }

    /// Moves the clock forward, and wakes whoever sleeps until then, in the order of their times: when one is woken, the clock
    /// stands at its time.
    pub fn advance(&self, by: Duration) {
        let end = self.held().now.saturating_add(by);
        while let Some(waker) = self.held().wake_until(end) {
            waker.wake();
        }
    }

    /// Puts the time of day somewhere, as somebody does who sets a clock; nobody wakes by it.
    ///
    /// # Panics
    /// For a text that is no time in the form of RFC 3339.
    #[track_caller]
    pub fn put_wall(&self, wall: &str) {
        let wall = time_of_day(wall);
        self.held().wall = wall;
    }

    /// How many sleep; the time limits of calls are not counted.
    pub fn sleepers(&self) -> usize {
        self.held().sleepers.values().filter(|sleeper| !sleeper.is_limit).count()
    }

    /// Completes when so many sleep, or more.
    ///
    /// # Panics
    /// When fewer do for ten seconds of the machine's clock.
    #[expect(clippy::panic, reason = "a test that waits for what does not come fails")]
    pub async fn asleep(&self, count: usize) {
        let enough = async {
            loop {
                let slept = self.0.slept.notified();
                if self.sleepers() >= count {
                    return;
                }
                slept.await;
            }
        };
        if tokio::time::timeout(PATIENCE, enough).await.is_err() {
            panic!("waited for {count} to sleep on the clock; {} do", self.sleepers());
        }
    }

    /// [`asleep`](Self::asleep) without a runtime, for a test that calls from another thread.
    ///
    /// # Panics
    /// As [`asleep`](Self::asleep).
    pub fn asleep_blocking(&self, count: usize) {
        block_on(self.asleep(count));
    }

    /// Now, as deadlines have it.
    pub(crate) fn instant(&self) -> Instant {
        self.0.origin + self.held().now
    }

    /// Completes when the clock stands at a moment or beyond, and makes nobody hurry.
    pub(crate) async fn reaches(&self, moment: Instant) {
        let place = self.place(|_| moment.saturating_duration_since(self.0.origin), true);
        poll_fn(|cx| place.poll(cx)).await;
    }

    /// A place among those who sleep, until a time that follows from now.
    fn place(&self, wakes: impl FnOnce(Duration) -> Duration, is_limit: bool) -> Place<'_> {
        let mut held = self.held();
        held.slept += 1;
        Place { clock: self, key: (wakes(held.now), held.slept), is_limit }
    }

    fn held(&self) -> MutexGuard<'_, Time> {
        self.0.at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[track_caller]
#[expect(clippy::panic, reason = "a test whose time is none fails")]
fn time_of_day(text: &str) -> SystemTime {
    match text.parse::<jiff::Timestamp>() {
        Ok(time) => time.into(),
        Err(error) => panic!("{text:?} is no time like {BEGINNING}: {error}"),
    }
}

impl Time {
    fn put(&mut self, now: Duration) {
        // Time of day has an end; the clock goes on without it.
        self.wall = self.wall.checked_add(now.saturating_sub(self.now)).unwrap_or(self.wall);
        self.now = now;
    }

    /// Moves to the next who wakes; to the end where nobody does.
    fn wake_until(&mut self, end: Duration) -> Option<Waker> {
        let next = self.sleepers.first_entry().filter(|sleeper| sleeper.key().0 <= end);
        let (at, waker) = match next {
            Some(sleeper) => {
                let ((at, _), sleeper) = sleeper.remove_entry();
                (at, Some(sleeper.waker))
            }
            None => (end, None),
        };
        // Another thread may have moved it beyond.
        self.put(at.max(self.now));
        waker
    }
}

/// Somebody's place among those who sleep, given up with the sleep.
struct Place<'c> {
    clock: &'c FakeClock,
    key: (Duration, u64),
    is_limit: bool,
}

impl Place<'_> {
    /// Sleeps on, until the clock stands at the time to wake.
    fn poll(&self, cx: &mut Context<'_>) -> Poll<()> {
        let (mut held, wakes) = (self.clock.held(), self.key.0);
        if held.hurries && !self.is_limit && wakes > held.now {
            held.put(wakes);
            // Those who sleep hurry for themselves; time limits are told.
            while held.sleepers.first_key_value().is_some_and(|((at, _), _)| *at <= wakes) {
                if let Some(waker) = held.wake_until(wakes) {
                    waker.wake();
                }
            }
        }
        if wakes <= held.now {
            return Poll::Ready(());
        }
        held.sleepers.insert(self.key, Sleeper { waker: cx.waker().clone(), is_limit: self.is_limit });
        drop(held);
        self.clock.0.slept.notify_waiters();
        Poll::Pending
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.clock.held().sleepers.remove(&self.key);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Duration {
        self.held().now
    }

    fn wall(&self) -> SystemTime {
        self.held().wall
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, Result<(), ToolError>> {
        let place = self.place(|now| now.saturating_add(time), false);
        Box::pin(async move {
            poll_fn(|cx| place.poll(cx)).await;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[tokio::test]
    async fn sleepers_wake_in_the_order_of_their_times_and_not_of_their_coming() {
        let (clock, woken) = (FakeClock::default(), Arc::new(Mutex::new(Vec::new())));
        let mut tasks = Vec::new();
        for time in [3, 1, 2, 1] {
            let (clock, woken) = (clock.clone(), Arc::clone(&woken));
            tasks.push(tokio::spawn(async move {
                clock.sleep(seconds(time)).await.unwrap();
                woken.lock().unwrap().push(time);
            }));
        }
        clock.asleep(4).await;
        clock.advance(seconds(2));
        while woken.lock().unwrap().len() < 3 {
            tokio::task::yield_now().await;
        }
        assert_eq!((woken.lock().unwrap().clone(), clock.sleepers()), (vec![1, 1, 2], 1));
        clock.advance(seconds(1));
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*woken.lock().unwrap(), [1, 1, 2, 3]);
    }

    #[test]
    fn the_time_of_day_goes_back_and_the_other_does_not() {
        let clock = FakeClock::at("2026-03-01T12:00:00+01:00");
        clock.advance(seconds(60));
        assert_eq!(clock.wall(), time_of_day("2026-03-01T11:01:00Z"));
        clock.put_wall("2020-01-01T00:00:00Z");
        clock.advance(seconds(1));
        assert_eq!(clock.wall(), time_of_day("2020-01-01T00:00:01Z"));
        assert_eq!(clock.now(), seconds(61));
    }

    #[tokio::test]
    async fn a_clock_goes_on_when_the_time_of_day_cannot() {
        let clock = FakeClock::at("2026-03-01T12:00:00Z");
        clock.advance(Duration::MAX);
        assert_eq!((clock.now(), clock.wall()), (Duration::MAX, time_of_day("2026-03-01T12:00:00Z")));
        let hurried = FakeClock::default();
        hurried.hurry();
        hurried.sleep(Duration::MAX).await.unwrap();
        assert_eq!(hurried.now(), Duration::MAX);
    }

    #[tokio::test]
    async fn nobody_waits_at_a_clock_that_hurries_and_a_dropped_sleep_is_forgotten() {
        let clock = FakeClock::default();
        let sleep = clock.sleep(seconds(5));
        tokio::select! {
            biased;
            _ = sleep => unreachable!("nobody moves the clock"),
            () = clock.asleep(1) => {}
        }
        assert_eq!(clock.sleepers(), 0);
        clock.hurry();
        clock.sleep(seconds(3_600)).await.unwrap();
        assert_eq!(clock.now(), seconds(3_600));
    }

    #[tokio::test]
    async fn a_limit_makes_nobody_hurry_and_is_told_when_somebody_hurries_past_it() {
        let clock = FakeClock::default();
        clock.hurry();
        let limit = clock.reaches(clock.instant() + seconds(5));
        tokio::pin!(limit);
        tokio::select! {
            biased;
            () = &mut limit => unreachable!("nobody moves the clock"),
            () = tokio::task::yield_now() => {}
        }
        assert_eq!((clock.now(), clock.sleepers()), (Duration::ZERO, 0));
        let ((), slept) = tokio::join!(limit, clock.sleep(seconds(6)));
        slept.unwrap();
        assert_eq!(clock.now(), seconds(6));
    }

    #[test]
    #[should_panic(expected = "\"yesterday\" is no time like 2026-01-01T00:00:00Z")]
    fn a_time_is_written_as_rfc_3339_has_it() {
        FakeClock::at("yesterday");
    }
}
