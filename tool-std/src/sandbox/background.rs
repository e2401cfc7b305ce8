//! A command that goes on while its caller does something else (shell.md §6).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use tokio::sync::watch;
use tool_core::{ErrorKind, ToolError};

use super::cancel::Cancel;
use super::outcome::{End, Stop};
use super::supervise::Outcome;
use super::window::{Page, Window};

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
    /// Protected names that it made or replaced, and that could not be moved away.
    pub left: Vec<String>,
    /// What it wrote to standard output and standard error.
    pub written: [Written; 2],
    /// When it was noticed.
    pub at: Instant,
}

/// Everything that was written to one stream, as records have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its bytes.
    pub bytes: u64,
    /// Its digest, in hex digits.
    pub sha256: String,
}

impl Ended {
    /// Kind and code of what went wrong, if something did.
    pub fn fault(&self) -> Option<(ErrorKind, &'static str)> {
        match (self.stopped, self.end) {
            _ if !self.quarantined.is_empty() || !self.left.is_empty() => {
                Some((ErrorKind::Denied, "protected_path"))
            }
            (Some(stop), _) => Some(stop.kind_and_code()),
            (None, End::Exit(0)) => None,
            (None, _) => Some((ErrorKind::Failed, "command_failed")),
        }
    }
}

/// What the supervising thread tells.
#[derive(Debug)]
pub(super) struct Progress {
    streams: [Mutex<Kept>; 2],
    ended: Mutex<Option<Ended>>,
    at_end: AtEnd,
    changes: watch::Sender<u64>,
}

/// What is kept of one stream: its last bytes, and the digest of all.
#[derive(Debug)]
struct Kept {
    window: Window,
    digest: Sha256,
}

impl Kept {
    fn written(&self) -> Written {
        let digest = self.digest.clone().finalize();
        let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Written { bytes: self.window.total(), sha256 }
    }
}

/// What is done at the end, once.
type Ending = dyn FnOnce(&Ended) + Send;

/// Who is told of the end.
#[derive(Default)]
struct AtEnd(Mutex<Option<Box<Ending>>>);

impl std::fmt::Debug for AtEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AtEnd(…)")
    }
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
    /// Completes when nobody holds the command any more.
    pub(super) async fn forgotten(&self) {
        self.changes.closed().await;
    }

    /// Keeps so many bytes of each stream.
    pub(super) fn new(buffer: u64) -> (Arc<Self>, watch::Receiver<u64>) {
        let (changes, changed) = watch::channel(0);
        let room = usize::try_from(buffer).unwrap_or(usize::MAX);
        let kept = || Mutex::new(Kept { window: Window::new(room), digest: Sha256::new() });
        let streams = [kept(), kept()];
        let progress = Self { streams, ended: Mutex::new(None), at_end: AtEnd::default(), changes };
        (Arc::new(progress), changed)
    }

    pub(super) fn push(&self, stream: Stream, bytes: &[u8]) {
        let mut kept = self.kept(stream);
        kept.window.push(bytes);
        kept.digest.update(bytes);
        drop(kept);
        self.changes.send_modify(|count| *count += 1);
    }

    /// Notes the end; `None` for a command that was lost.
    pub(super) fn end(&self, outcome: Option<&Outcome>) {
        let killed = End::Signal(libc::SIGKILL);
        let usage = outcome.map(|outcome| outcome.usage).unwrap_or_default();
        let ended = Ended {
            end: outcome.and_then(|outcome| outcome.end).unwrap_or(killed),
            stopped: outcome.and_then(|outcome| outcome.stop),
            duration: outcome.map(|outcome| outcome.duration).unwrap_or_default(),
            cpu: Duration::from_micros(usage.cpu_micros),
            max_rss_bytes: usage.rss_bytes,
            quarantined: outcome.map(|outcome| outcome.cleared.quarantined.clone()).unwrap_or_default(),
            left: outcome.map(|outcome| outcome.cleared.left.clone()).unwrap_or_default(),
            written: [Stream::Out, Stream::Err].map(|stream| self.kept(stream).written()),
            at: Instant::now(),
        };
        // Told before it is seen: whoever sees the end finds it recorded. The lock keeps out who would tell it meanwhile.
        let mut at_end = lock(&self.at_end.0);
        if let Some(told) = at_end.take() {
            told(&ended);
        }
        *lock(&self.ended) = Some(ended);
        drop(at_end);
        self.changes.send_modify(|count| *count += 1);
    }

    fn kept(&self, stream: Stream) -> MutexGuard<'_, Kept> {
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
        self.progress.kept(stream).window.read(offset, most, ended)
    }

    /// Waits until there is output behind these offsets, or the end.
    pub async fn wait(&self, out: u64, err: u64) {
        let mut changed = self.changed.clone();
        let has_news = |_: &u64| {
            self.ended().is_some()
                || self.progress.kept(Stream::Out).window.total() > out
                || self.progress.kept(Stream::Err).window.total() > err
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
        self.over().await;
        self.ended().ok_or_else(|| ToolError::internal("The process was lost.").code("process_lost"))
    }

    /// Waits for its end, until whoever is told of it has been told.
    pub async fn over(&self) {
        let mut changed = self.changed.clone();
        let _ = changed.wait_for(|_| self.ended().is_some()).await;
    }
    /// Tells somebody of its end, once, on whatever thread notices it, before anybody else sees the end.
    pub fn on_end(&self, told: impl FnOnce(&Ended) + Send + 'static) {
        let mut at_end = lock(&self.progress.at_end.0);
        match self.ended() {
            None => *at_end = Some(Box::new(told)),
            Some(ended) => {
                drop(at_end);
                told(&ended);
            }
        }
    }

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
