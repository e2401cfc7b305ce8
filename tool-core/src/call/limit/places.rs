//! Places: how many calls run at once, and which calls of one run may overlap.
//!
//! Every place is a guard that is dropped with the call, whatever ends it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, OwnedSemaphorePermit, RwLock, Semaphore};

/// What one call holds while it runs.
#[derive(Default)]
pub(super) struct Held {
    places: Vec<OwnedSemaphorePermit>,
    shared: Option<OwnedRwLockReadGuard<()>>,
    alone: Option<OwnedRwLockWriteGuard<()>>,
}

/// Something to be waited for.
pub(super) enum Place {
    /// One of so many.
    OneOf(Arc<Semaphore>),
    /// The run, together with other reads.
    Shared(Arc<RwLock<()>>),
    /// The run, alone.
    Alone(Arc<RwLock<()>>),
}

impl Held {
    /// Takes a place where that needs no waiting.
    pub(super) fn try_take(&mut self, place: &Place) -> bool {
        match place {
            Place::OneOf(places) => match Arc::clone(places).try_acquire_owned() {
                Ok(permit) => self.places.push(permit),
                Err(_) => return false,
            },
            Place::Shared(run) => match Arc::clone(run).try_read_owned() {
                Ok(guard) => self.shared = Some(guard),
                Err(_) => return false,
            },
            Place::Alone(run) => match Arc::clone(run).try_write_owned() {
                Ok(guard) => self.alone = Some(guard),
                Err(_) => return false,
            },
        }
        true
    }

    /// Waits for a place, in order of arrival.
    pub(super) async fn take(&mut self, place: Place) {
        match place {
            // Nobody closes a semaphore here.
            Place::OneOf(places) => self.places.extend(places.acquire_owned().await.ok()),
            Place::Shared(run) => self.shared = Some(run.read_owned().await),
            Place::Alone(run) => self.alone = Some(run.write_owned().await),
        }
    }
}

/// Counts those who wait.
#[derive(Debug, Default)]
pub(super) struct Queue(AtomicUsize);

impl Queue {
    /// Joins the queue until the guard is dropped; `None` where it is full.
    pub(super) fn join(&self, max: usize) -> Option<Waiting<'_>> {
        let waiting = Waiting(self);
        (self.0.fetch_add(1, Ordering::AcqRel) < max).then_some(waiting)
    }
}

/// One who waits.
pub(super) struct Waiting<'a>(&'a Queue);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Values by key that are forgotten when nobody has asked for them for a while.
#[derive(Debug)]
pub(super) struct Kept<K, V> {
    values: Mutex<HashMap<K, (V, Duration)>>,
    idle: Duration,
}

/// How many values are kept before any is looked at for being idle.
const SWEEP_FROM: usize = 256;

impl<K: Eq + Hash, V: Clone> Kept<K, V> {
    pub(super) fn new(idle: Duration) -> Self {
        Kept { values: Mutex::new(HashMap::new()), idle }
    }

    /// The value of a key, made where there is none.
    pub(super) fn get(&self, key: K, now: Duration, make: impl FnOnce() -> V) -> V {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if values.len() >= SWEEP_FROM && !values.contains_key(&key) {
            values.retain(|_, (_, used)| now.saturating_sub(*used) < self.idle);
        }
        let entry = values.entry(key).or_insert_with(|| (make(), now));
        entry.1 = now;
        entry.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_forgotten_when_there_are_many_and_nobody_has_asked_for_them_for_so_long() {
        let idle = Duration::from_secs(60);
        let kept = Kept::new(idle);
        let len =
            |kept: &Kept<usize, usize>| kept.values.lock().unwrap_or_else(PoisonError::into_inner).len();
        for key in 0..SWEEP_FROM {
            assert_eq!(kept.get(key, Duration::ZERO, || key), key);
        }
        assert_eq!(kept.get(0, idle, || 1_000), 0, "one that is there is only read, and used again");
        assert_eq!(len(&kept), SWEEP_FROM);
        kept.get(SWEEP_FROM, idle - Duration::from_nanos(1), || 1);
        assert_eq!(len(&kept), SWEEP_FROM + 1, "none is idle yet");
        kept.get(SWEEP_FROM + 1, idle, || 1);
        assert_eq!(len(&kept), 3, "the one that was read and the two that are new");
        kept.get(SWEEP_FROM + 2, idle * 9, || 1);
        assert_eq!(len(&kept), 4, "few are not looked at");
    }
}

/// Calls in every order that a scheduler may run them in: whatever ends one, its places are free again.
///
/// The locks are tokio's, which have models of their own; what is tried here is the order in which tasks take places, wait,
/// are woken and dropped.
#[cfg(test)]
mod model {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::pin::Pin;
    use std::sync::atomic::AtomicU32;
    use std::task::{Context, Poll};

    use shuttle::future::{block_on, spawn, yield_now};
    use shuttle::rand::{Rng as _, thread_rng};

    use super::*;

    const CALLS: usize = 5;
    const PROCESS: usize = 2;
    const READERS: usize = 2;

    struct World {
        order: Arc<RwLock<()>>,
        tool: Arc<Semaphore>,
        readers: Arc<Semaphore>,
        process: Arc<Semaphore>,
        queue: Queue,
        /// Reads and side effects that run now.
        running: [AtomicU32; 2],
        ran: AtomicU32,
    }

    impl World {
        fn new() -> World {
            World {
                order: Arc::default(),
                tool: Arc::new(Semaphore::new(1)),
                readers: Arc::new(Semaphore::new(READERS)),
                process: Arc::new(Semaphore::new(PROCESS)),
                queue: Queue::default(),
                running: Default::default(),
                ran: AtomicU32::new(0),
            }
        }

        /// In the order in which the layer takes them.
        fn places(&self, effect: bool, one_of_tool: bool) -> Vec<Place> {
            let order = Arc::clone(&self.order);
            let mut places = vec![if effect { Place::Alone(order) } else { Place::Shared(order) }];
            if one_of_tool {
                places.push(Place::OneOf(Arc::clone(&self.tool)));
            }
            if !effect {
                places.push(Place::OneOf(Arc::clone(&self.readers)));
            }
            places.push(Place::OneOf(Arc::clone(&self.process)));
            places
        }

        /// One call as the layer makes it: what is free is taken, the rest waited for in the queue.
        async fn call(self: Arc<Self>, effect: bool, one_of_tool: bool, panics: bool) {
            let mut held = Held::default();
            let mut places =
                self.places(effect, one_of_tool).into_iter().skip_while(|place| held.try_take(place));
            let rest: Vec<Place> = places.by_ref().collect();
            drop(places);
            if !rest.is_empty() {
                let Some(_waiting) = self.queue.join(CALLS - 2) else { return };
                for place in rest {
                    held.take(place).await;
                }
            }
            let running = Running::begin(&self, effect);
            yield_now().await;
            running.check();
            if panics {
                // As a panic unwinds, without what a panic prints.
                resume_unwind(Box::new("a tool panicked"));
            }
            yield_now().await;
            running.check();
            self.ran.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// A call that runs, whatever ends it.
    struct Running<'a>(&'a World, bool);

    impl<'a> Running<'a> {
        fn begin(world: &'a World, effect: bool) -> Running<'a> {
            world.running[usize::from(effect)].fetch_add(1, Ordering::SeqCst);
            Running(world, effect)
        }

        fn check(&self) {
            let [reads, effects] = [0, 1].map(|kind| self.0.running[kind].load(Ordering::SeqCst));
            assert!(
                effects == 0 || (effects, reads) == (1, 0),
                "{effects} side effects beside {reads} reads"
            );
            assert!((reads + effects) as usize <= PROCESS, "{reads} reads and {effects} side effects");
        }
    }

    impl Drop for Running<'_> {
        fn drop(&mut self) {
            self.0.running[usize::from(self.1)].fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// A call whose panics go nowhere and that is dropped when it is still not done after so many polls.
    struct Left {
        call: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
        polls: u32,
    }

    impl Future for Left {
        type Output = ();

        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
            let Some(call) = &mut self.call else { return Poll::Ready(()) };
            if catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(cx)))
                .is_ok_and(|polled| polled.is_pending())
            {
                self.polls -= 1;
                if self.polls > 0 {
                    return Poll::Pending;
                }
            }
            self.call = None;
            Poll::Ready(())
        }
    }

    #[test]
    fn no_place_is_lost_in_any_order_of_panics_drops_and_ends() {
        let rounds = tool_trials::rounds(20_000);
        let ran = Arc::new(AtomicU32::new(0));
        let all = Arc::clone(&ran);
        let round = move || {
            let world = Arc::new(World::new());
            let tasks: Vec<_> = (0..CALLS)
                .map(|_| {
                    let mut random = thread_rng();
                    let kind = [
                        random.gen_range(0..2) == 0,
                        random.gen_range(0..2) == 0,
                        random.gen_range(0..4) == 0,
                    ];
                    let polls = if random.gen_range(0..3) == 0 { random.gen_range(1..4) } else { u32::MAX };
                    let call: Pin<Box<dyn Future<Output = ()> + Send>> =
                        Box::pin(Arc::clone(&world).call(kind[0], kind[1], kind[2]));
                    spawn(Left { call: Some(call), polls })
                })
                .collect();
            block_on(async {
                for task in tasks {
                    task.await.unwrap();
                }
            });
            let free = [&world.tool, &world.readers, &world.process].map(|places| places.available_permits());
            assert_eq!(free, [1, READERS, PROCESS]);
            assert!(world.order.try_write().is_ok(), "the run is still taken");
            assert_eq!(world.queue.0.load(Ordering::SeqCst), 0, "somebody still waits");
            all.fetch_add(world.ran.load(Ordering::SeqCst), Ordering::SeqCst);
        };
        shuttle::check_random(round, rounds);
        assert!(ran.load(Ordering::SeqCst) as usize > rounds, "hardly a call ran: nothing is proved");
    }
}
