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
