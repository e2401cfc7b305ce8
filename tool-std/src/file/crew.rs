//! Searching the files of a walk by several threads: the caller walks, the others search, and what they find is taken in the
//! order of the walk, so that a result and where it is cut do not depend on who was faster.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use tool_core::ToolError;

/// Entries that are handed over at once.
const BATCH: usize = 32;
/// Batches that wait for each thread.
const WAITING: usize = 2;
/// Most threads of one search.
const THREADS_MAX: usize = 8;

/// A batch by its place in the order, and what became of a batch.
type Batch<T> = (usize, Vec<T>);
type Done<A> = (usize, Result<Vec<A>, ToolError>);

/// Does `work` on all that `next` gives and takes the answers in that order, until `take` says that it is enough. Each
/// thread begins with a tool of its own, from `begin`. Few entries are worked on by the caller alone.
///
/// # Errors
/// The first of `next` or `work`.
pub(super) fn run<T: Send, A: Send, W>(
    mut next: impl FnMut() -> Result<Option<T>, ToolError>,
    begin: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, T) -> Result<A, ToolError> + Sync,
    mut take: impl FnMut(A) -> bool,
) -> Result<(), ToolError> {
    let mut first = Vec::new();
    while first.len() < BATCH
        && let Some(entry) = next()?
    {
        first.push(entry);
    }
    let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    if first.len() < BATCH || threads == 1 {
        let mut own = begin();
        for entry in first {
            if !take(work(&mut own, entry)?) {
                return Ok(());
            }
        }
        while let Some(entry) = next()? {
            if !take(work(&mut own, entry)?) {
                return Ok(());
            }
        }
        return Ok(());
    }
    let enough = AtomicBool::new(false);
    let (batches, queue) = sync_channel(threads * WAITING);
    let (answers, done) = channel();
    let queue = Mutex::new(queue);
    thread::scope(|scope| {
        for _ in 0..threads {
            let (queue, answers, enough, begin, work) = (&queue, answers.clone(), &enough, &begin, &work);
            scope.spawn(move || {
                let mut own = begin();
                while let Some((place, batch)) = receive(queue) {
                    let answer = batch
                        .into_iter()
                        .take_while(|_| !enough.load(Ordering::Relaxed))
                        .map(|entry| work(&mut own, entry))
                        .collect();
                    if answers.send((place, answer)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(answers);
        let mut order = Order { done, waiting: BTreeMap::new(), next: 0 };
        let outcome = hand_out(first, &mut next, batches, &mut order, &mut take);
        // Whatever the reason, nobody needs what is still under way.
        enough.store(true, Ordering::Relaxed);
        outcome
    })
}

fn receive<T>(queue: &Mutex<Receiver<Batch<T>>>) -> Option<Batch<T>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// Hands out batches until there are no more, and takes answers whenever everybody is busy.
fn hand_out<T, A>(
    first: Vec<T>,
    next: &mut impl FnMut() -> Result<Option<T>, ToolError>,
    batches: SyncSender<Batch<T>>,
    order: &mut Order<A>,
    take: &mut impl FnMut(A) -> bool,
) -> Result<(), ToolError> {
    let mut batch = (0, first);
    while !batch.1.is_empty() {
        let place = batch.0;
        loop {
            match batches.try_send(batch) {
                Ok(()) => break,
                Err(TrySendError::Full(back)) => batch = back,
                Err(TrySendError::Disconnected(_)) => return Ok(()),
            }
            if !order.take_one(take)? {
                return Ok(());
            }
        }
        let mut entries = Vec::with_capacity(BATCH);
        while entries.len() < BATCH
            && let Some(entry) = next()?
        {
            entries.push(entry);
        }
        batch = (place + 1, entries);
    }
    drop(batches);
    while order.take_one(take)? {}
    Ok(())
}

/// Answers that came before their turn.
struct Order<A> {
    done: Receiver<Done<A>>,
    waiting: BTreeMap<usize, Result<Vec<A>, ToolError>>,
    next: usize,
}

impl<A> Order<A> {
    /// Waits for one batch and takes all whose turn it is; false when that is enough, or no more will come.
    fn take_one(&mut self, take: &mut impl FnMut(A) -> bool) -> Result<bool, ToolError> {
        let Ok((place, answer)) = self.done.recv() else { return Ok(false) };
        self.waiting.insert(place, answer);
        while let Some(answers) = self.waiting.remove(&self.next) {
            self.next += 1;
            for answer in answers? {
                if !take(answer) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    fn numbers(count: usize) -> impl FnMut() -> Result<Option<usize>, ToolError> {
        let mut all = 0..count;
        move || Ok(all.next())
    }

    /// What is taken of so many numbers, until one is met.
    fn taken(count: usize, last: usize) -> Vec<usize> {
        let mut seen = Vec::new();
        run(
            numbers(count),
            || (),
            |(), number| {
                // The first of each batch is the slowest.
                if number % BATCH == 0 {
                    thread::yield_now();
                }
                Ok(number)
            },
            |number| {
                seen.push(number);
                number != last
            },
        )
        .unwrap();
        seen
    }

    #[test]
    fn answers_come_in_order_whoever_is_faster() {
        for count in [0, 1, BATCH - 1, BATCH, BATCH + 1, 10_000] {
            assert_eq!(taken(count, usize::MAX), (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn nothing_is_taken_behind_the_last_that_is_wanted() {
        for last in [0, BATCH, 4_321] {
            assert_eq!(taken(10_000, last), (0..=last).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_ends_it_wherever_it_comes_from() {
        let worked = AtomicUsize::new(0);
        let fails = |number| if number == 5_000 { Err(ToolError::cancelled("x")) } else { Ok(number) };
        let work = |(): &mut (), number| {
            worked.fetch_add(1, Ordering::Relaxed);
            fails(number)
        };
        assert!(run(numbers(1_000_000), || (), work, |_| true).is_err());
        assert!(worked.load(Ordering::Relaxed) < 100_000);
        let mut all = 0..10_000;
        let next = || all.next().map(fails).transpose();
        assert!(run(next, || (), |(), number| Ok(number), |_| true).is_err());
    }
}
