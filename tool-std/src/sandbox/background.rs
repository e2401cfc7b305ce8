//! A command that goes on while its caller does something else (shell.md §6).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tool_core::ToolError;

use super::outcome::{End, Stop};
use super::supervise::{Cancel, Outcome};
use super::window::{Page, Window};

/// Bytes that are kept of each stream.
const BACKGROUND_BUFFER_BYTES: usize = 1_048_576;

/// A command that was started; it is ended when nobody holds it any more.
#[derive(Debug)]
pub struct Running {
    pub(super) progress: Arc<Progress>,
    pub(super) cancel: Arc<Cancel>,
    pub(super) changed: watch::Receiver<u64>,
    pub(super) started: Instant,
}

/// How a background command stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It runs.
    Running,
    /// It came to its own end, or a limit did.
    Exited,
    /// It was stopped.
    Stopped,
    /// Its time was over.
    TimedOut,
}

/// The end of a background command.
#[derive(Clone, Debug)]
pub struct Ended {
    /// How.
    pub end: End,
    /// Why, if it was not by itself.
    pub stopped: Option<Stop>,
    /// From the start to the end.
    pub duration: Duration,
    /// CPU time of all its processes.
    pub cpu: Duration,
    /// Memory of its largest process, in bytes.
    pub max_rss_bytes: u64,
    /// Protected names that it made or replaced, and that were moved away.
    pub quarantined: Vec<String>,
    /// When it was noticed.
    pub at: Instant,
}

/// What the supervising thread tells.
#[derive(Debug)]
pub(super) struct Progress {
    streams: [Mutex<Window>; 2],
    ended: Mutex<Option<Ended>>,
    changes: watch::Sender<u64>,
}

/// One of the two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

impl Progress {
    pub(super) fn new() -> (Arc<Self>, watch::Receiver<u64>) {
        let (changes, changed) = watch::channel(0);
        let window = || Mutex::new(Window::new(BACKGROUND_BUFFER_BYTES));
        (Arc::new(Self { streams: [window(), window()], ended: Mutex::new(None), changes }), changed)
    }

    pub(super) fn push(&self, stream: Stream, bytes: &[u8]) {
        self.window(stream).push(bytes);
        self.changes.send_modify(|count| *count += 1);
    }

    /// Notes the end; `None` for a command that was lost.
    pub(super) fn end(&self, outcome: Option<&Outcome>) {
        let killed = End::Signal(libc::SIGKILL);
        let usage = outcome.map(|outcome| outcome.usage).unwrap_or_default();
        *lock(&self.ended) = Some(Ended {
            end: outcome.and_then(|outcome| outcome.end).unwrap_or(killed),
            stopped: outcome.and_then(|outcome| outcome.stop),
            duration: outcome.map(|outcome| outcome.duration).unwrap_or_default(),
            cpu: Duration::from_micros(usage.cpu_micros),
            max_rss_bytes: usage.rss_bytes,
            quarantined: outcome.map(|outcome| outcome.quarantined.clone()).unwrap_or_default(),
            at: Instant::now(),
        });
        self.changes.send_modify(|count| *count += 1);
    }

    fn window(&self, stream: Stream) -> MutexGuard<'_, Window> {
        let [out, err] = &self.streams;
        lock(if stream == Stream::Out { out } else { err })
    }
}

impl Running {
    /// How it stands.
    pub fn state(&self) -> State {
        match self.ended() {
            None => State::Running,
            Some(Ended { stopped: Some(Stop::Cancelled), .. }) => State::Stopped,
            Some(Ended { stopped: Some(Stop::TimedOut), .. }) => State::TimedOut,
            Some(_) => State::Exited,
        }
    }

    /// Its end, if it has ended.
    pub fn ended(&self) -> Option<Ended> {
        lock(&self.progress.ended).clone()
    }

    /// When it was started.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// A part of a stream from an offset on.
    pub fn read(&self, stream: Stream, offset: u64, most: usize) -> Page {
        let ended = self.ended().is_some();
        self.progress.window(stream).read(offset, most, ended)
    }

    /// Waits until there is output behind these offsets, or the end.
    pub async fn wait(&self, out: u64, err: u64) {
        let mut changed = self.changed.clone();
        let has_news = |_: &u64| {
            self.ended().is_some()
                || self.progress.window(Stream::Out).total() > out
                || self.progress.window(Stream::Err).total() > err
        };
        let _ = changed.wait_for(has_news).await;
    }

    /// Asks it to end, or ends it at once, and waits until nothing of it is left.
    pub async fn stop(&self, at_once: bool) -> Result<Ended, ToolError> {
        if at_once {
            self.cancel.kill();
        } else {
            self.cancel.cancel();
        }
        let mut changed = self.changed.clone();
        let _ = changed.wait_for(|_| self.ended().is_some()).await;
        self.ended().ok_or_else(|| ToolError::internal("The process was lost.").code("process_lost"))
    }
}

impl Running {
    /// Asks it to end, and does not wait.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
