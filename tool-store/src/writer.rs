//! The one writer of a journal: a thread that takes what is queued, does it in one transaction, and answers all. (journal.md §10)
//!
//! There is no timer: a single caller pays one commit, callers that wait share the next one.

use std::collections::VecDeque;
use std::fmt;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};
use tool_core::journal::machine::{Met, Op, Reply};
use tool_core::journal::{JournalError, Outcome, Result};
use tool_core::metrics::{JOURNAL_BATCH_SIZE, JOURNAL_COMMIT_DURATION};
use tool_core::{BoxFuture, Metrics, ToolError};

/// How many operations may wait before callers wait to queue theirs.
pub const QUEUE: usize = 1_024;

/// How many operations share one transaction.
pub const BATCH: usize = 256;

/// How long nothing happens before a backend tidies up.
pub const IDLE: Duration = Duration::from_secs(5);

/// How much of the last commit's time the writer waits for those whom that commit has woken: at most a quarter, not when a
/// sixteenth passes without anybody, and not when all are there that can be: those whom it has woken and those who came
/// meanwhile. They would else be in two batches, for ever in turn. Nobody waits who is alone.
const PATIENCE: u32 = 4;
const QUIET: u32 = 16;

/// Who measures what the writer does.
#[derive(Clone, Default)]
pub struct Meter(Option<Arc<dyn Metrics>>);

impl Meter {
    /// Tells somebody of each commit: how long it took, and how many operations shared it.
    pub fn new(metrics: Arc<dyn Metrics>) -> Meter {
        Meter(Some(metrics))
    }

    fn committed(&self, operations: usize, took: Duration) {
        let Some(metrics) = &self.0 else { return };
        metrics.record(&JOURNAL_COMMIT_DURATION, took.as_secs_f64(), &[]);
        let operations = f64::from(u32::try_from(operations).unwrap_or(u32::MAX));
        metrics.record(&JOURNAL_BATCH_SIZE, operations, &[]);
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Meter").field(&self.0.is_some()).finish()
    }
}

/// Does operations, all or none durably.
pub(crate) trait Backend {
    /// Does a batch in one transaction; the answers are as many as the operations, and are given after the commit.
    fn transact(&mut self, ops: &[Op]) -> Vec<Result<Reply>>;
    /// Tidies up.
    fn idle(&mut self);
    /// How long nothing happens before it tidies up.
    fn patience(&self) -> Duration {
        IDLE
    }
    /// Whether it must tidy up again although it did and nothing happened since.
    fn is_due(&self) -> bool {
        false
    }
}

struct Request {
    op: Op,
    reply: Option<oneshot::Sender<Answer>>,
    /// The place in the queue.
    _place: Option<OwnedSemaphorePermit>,
}

/// What the writer does besides what is queued: it settles the intents that nobody took.
type Untaken = Arc<Mutex<Vec<Op>>>;

/// An answer on its way. An intent that was committed for a caller who is gone would be open for as long as this process
/// lives, and calls with its key would wait for it.
struct Answer {
    reply: Option<Result<Reply>>,
    untaken: Untaken,
}

impl Answer {
    fn take(mut self) -> Result<Reply> {
        self.reply.take().unwrap_or_else(|| Err(gone()))
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let Some(Ok(Reply::Begun(Met::Run(lease)))) = self.reply.take() {
            let outcome = Outcome::error(&ToolError::cancelled("The caller went away."));
            let mut untaken = self.untaken.lock().unwrap_or_else(PoisonError::into_inner);
            untaken.push(Op::Finish(lease, Box::new(outcome)));
        }
    }
}

/// The queue of a writer.
pub(crate) struct Writer {
    queue: Mutex<Option<Sender<Request>>>,
    places: Arc<Semaphore>,
    changed: Arc<Notify>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// Starts the thread; the backend is made on it.
    pub(crate) fn start<B: Backend>(
        make: impl FnOnce() -> Result<B> + Send + 'static,
        batch: usize,
        meter: Meter,
    ) -> Result<Writer> {
        let (queue, requests) = mpsc::channel();
        let (made, ready) = mpsc::channel();
        let changed = Arc::new(Notify::new());
        let told = Arc::clone(&changed);
        let body = move || match make() {
            Ok(mut backend) => {
                let _ = made.send(Ok(()));
                serve(&mut backend, &requests, batch.clamp(1, BATCH), &told, &meter);
            }
            Err(error) => drop(made.send(Err(error))),
        };
        let thread = thread::Builder::new().name("journal".to_owned()).spawn(body);
        let thread = thread.map_err(|error| JournalError::unavailable(error.to_string()))?;
        ready.recv().map_err(|_| gone())??;
        let (queue, thread) = (Mutex::new(Some(queue)), Mutex::new(Some(thread)));
        Ok(Writer { queue, places: Arc::new(Semaphore::new(QUEUE)), changed, thread })
    }

    /// What is notified after every commit.
    pub(crate) fn changed(&self) -> &Arc<Notify> {
        &self.changed
    }

    /// Queues an operation when there is room; resolves when it is committed.
    pub(crate) async fn ask(&self, op: Op) -> Result<Reply> {
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| gone())?;
        self.queue(op, Some(place)).await
    }

    /// Queues an operation at once, whether the answer is waited for or not.
    pub(crate) fn tell(&self, op: Op) -> BoxFuture<'static, Result<Reply>> {
        Box::pin(self.queue(op, None))
    }

    fn queue(
        &self,
        op: Op,
        place: Option<OwnedSemaphorePermit>,
    ) -> impl Future<Output = Result<Reply>> + Send + use<> {
        let (reply, answer) = oneshot::channel();
        let request = Request { op, reply: Some(reply), _place: place };
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = queue.as_ref().is_some_and(|queue| queue.send(request).is_ok());
        drop(queue);
        async move { if sent { answer.await.map_or_else(|_| Err(gone()), Answer::take) } else { Err(gone()) } }
    }

    /// Finishes what is queued and stops.
    pub(crate) fn stop(&self) {
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Writer")
    }
}

fn gone() -> JournalError {
    JournalError::unavailable("The journal's writer has stopped.")
}

fn serve(
    backend: &mut impl Backend,
    requests: &Receiver<Request>,
    most: usize,
    changed: &Notify,
    meter: &Meter,
) {
    let mut tidy = false;
    // Those who came while the last commit was made; how many may come with them, and how long that commit took.
    let mut early: VecDeque<Request> = VecDeque::new();
    let (mut expected, mut commit) = (1, Duration::ZERO);
    let untaken = Untaken::default();
    let left = || {
        let mut left = untaken.lock().unwrap_or_else(PoisonError::into_inner);
        left.drain(..).map(|op| Request { op, reply: None, _place: None }).collect::<Vec<_>>()
    };
    loop {
        early.extend(left());
        if early.is_empty() {
            match requests.recv_timeout(backend.patience()) {
                Ok(first) => early.push_back(first),
                Err(RecvTimeoutError::Timeout) => {
                    if !std::mem::replace(&mut tidy, true) || backend.is_due() {
                        backend.idle();
                    }
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    early.extend(left());
                    if early.is_empty() {
                        backend.idle();
                        return;
                    }
                }
            }
        }
        tidy = false;
        let gathering = Instant::now();
        let mut arrival = gathering;
        while early.len() < most {
            match requests.try_recv() {
                Ok(next) => {
                    early.push_back(next);
                    arrival = Instant::now();
                }
                Err(_)
                    if early.len() < expected
                        && arrival.elapsed() < commit / QUIET
                        && gathering.elapsed() < commit / PATIENCE =>
                {
                    thread::yield_now();
                }
                Err(_) => break,
            }
        }
        let batch = early.drain(..early.len().min(most));
        let (ops, replies): (Vec<_>, Vec<_>) =
            batch.map(|request| (request.op, (request.reply, request._place))).unzip();
        let committing = Instant::now();
        let answers = backend.transact(&ops);
        commit = committing.elapsed();
        meter.committed(ops.len(), commit);
        early.extend(requests.try_iter().take(QUEUE));
        expected = early.len() + ops.len();
        for ((reply, place), answer) in replies.into_iter().zip(answers) {
            drop(place);
            if let Some(reply) = reply {
                let _ = reply.send(Answer { reply: Some(answer), untaken: Arc::clone(&untaken) });
            }
        }
        changed.notify_waiters();
    }
}
