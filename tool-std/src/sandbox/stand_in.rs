//! Commands that a test performs in place of the machine: everything around them, from the place in the queue to the limits of
//! their output, is as of real ones.

use std::fmt;
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use rustix::io::Errno;
use tool_core::{Clock, ToolError};

use super::background::{Progress, Stream};
use super::cancel::Cancel;
use super::capture::{Capture, Captured};
use super::live::Live;
use super::outcome::{End, Stop};
use super::supervise::Outcome;
use super::watch::Cleared;
use super::wire::{Refusal, Stage, Usage};
use crate::limits::Limits;

/// Stands in for the machine that would run commands.
pub trait StandIn: fmt::Debug + Send + Sync {
    /// How a command goes that is about to be started.
    ///
    /// # Errors
    /// Where nobody has said how.
    fn part(&self, argv: &[String]) -> Result<Part, ToolError>;

    /// What time its commands keep.
    fn clock(&self) -> Arc<dyn Clock>;
}

/// What a command does.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Why it is not started, if it is not.
    pub refused: Option<NotStarted>,
    /// What it does, in order.
    pub steps: Vec<Step>,
    /// How it ends by itself; `None` for one that does not.
    pub end: Option<End>,
    /// Whether it goes on when it is asked to end (`SIGTERM`): it is killed after the grace.
    pub ignores_signals: bool,
}

/// A step of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It does nothing for a time.
    Wait(Duration),
    /// It writes to a stream.
    Write(Stream, Vec<u8>),
}

/// Why a command was not started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotStarted {
    /// There is no such program: `command_not_found`.
    NotFound,
    /// It may not be executed: `permission_denied`.
    NotExecutable,
    /// Its directory is gone: `path_not_found`.
    NoDirectory,
    /// The workspace was changed meanwhile: `path_changed`.
    Changed,
    /// The machine cannot confine it: `sandbox_unavailable`.
    Unconfined,
}

impl NotStarted {
    /// Every reason.
    pub const ALL: [NotStarted; 5] =
        [Self::NotFound, Self::NotExecutable, Self::NoDirectory, Self::Changed, Self::Unconfined];

    fn refusal(self) -> Refusal {
        let (stage, errno) = match self {
            Self::NotFound => (Stage::Lookup, Errno::NOENT),
            Self::NotExecutable => (Stage::Exec, Errno::ACCESS),
            Self::NoDirectory => (Stage::Directory, Errno::NOENT),
            Self::Changed => (Stage::Changed, Errno::STALE),
            Self::Unconfined => (Stage::Process, Errno::PERM),
        };
        Refusal { stage, errno: errno.raw_os_error() }
    }
}

/// A part with what surrounds it.
pub(super) struct Performance {
    part: Part,
    clock: Arc<dyn Clock>,
    timeout: Duration,
    /// SIGTERM to SIGKILL.
    grace: Duration,
    stream_bytes: usize,
    total_bytes: u64,
    pub(super) cancel: Arc<Cancel>,
    pub(super) progress: Option<Arc<Progress>>,
    pub(super) live: Option<Live>,
}

impl Performance {
    /// Nobody follows it yet.
    pub(super) fn new(
        part: Part,
        clock: Arc<dyn Clock>,
        timeout: Duration,
        limits: &Limits,
        cancel: Arc<Cancel>,
    ) -> Performance {
        let stream_bytes = limits.max_stream_bytes.min(limits.max_total_output_bytes);
        Performance {
            part,
            clock,
            timeout,
            grace: Duration::from_millis(limits.kill_grace_ms),
            stream_bytes: usize::try_from(stream_bytes).unwrap_or(usize::MAX),
            total_bytes: limits.max_total_output_bytes,
            cancel,
            progress: None,
            live: None,
        }
    }

    /// Why nothing of it happens, if nothing does.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        self.part.refused.map(NotStarted::refusal)
    }

    /// Performs it to its end.
    pub(super) async fn run(self) -> Outcome {
        let Performance { part, clock, timeout, grace, stream_bytes, total_bytes, cancel, progress, live } =
            self;
        let began = clock.now();
        let kept = [Capture::new(stream_bytes), Capture::new(stream_bytes)];
        let held = progress.clone();
        let mut written = Written { kept, progress, live };
        let (end, stop) = match part.refused {
            Some(_) => (None, None),
            None => {
                let mut steps = pin!(written.take(&part, &*clock, total_bytes));
                let ended = tokio::select! {
                    biased;
                    ended = &mut steps => ended,
                    () = cancel.told() => Err(Stop::Cancelled),
                    _ = clock.sleep(timeout) => Err(Stop::TimedOut),
                };
                match ended {
                    Ok(end) => (Some(end), None),
                    Err(stop) if part.ignores_signals && stop != Stop::Output => {
                        let end = tokio::select! {
                            biased;
                            ended = &mut steps => ended.ok(),
                            () = cancel.killed() => None,
                            () = forgotten(held.as_deref()) => None,
                            _ = clock.sleep(grace) => None,
                        };
                        (Some(end.unwrap_or(End::Signal(libc::SIGKILL))), Some(stop))
                    }
                    Err(stop) => (Some(End::Signal(libc::SIGTERM)), Some(stop)),
                }
            }
        };
        let [stdout, stderr] = written.finish();
        Outcome {
            started: part.refused.is_none(),
            refusal: part.refused.map(NotStarted::refusal),
            end,
            stop,
            stdout,
            stderr,
            duration: clock.now().saturating_sub(began),
            usage: Usage::default(),
            strays: 0,
            cleared: Cleared::default(),
        }
    }
}

/// Completes when nobody holds a command in the background any more, who could move the clock on for it.
async fn forgotten(progress: Option<&Progress>) {
    match progress {
        Some(progress) => progress.forgotten().await,
        None => pending().await,
    }
}

/// Both streams, and who follows them.
struct Written {
    kept: [Capture; 2],
    progress: Option<Arc<Progress>>,
    live: Option<Live>,
}

impl Written {
    /// Takes the steps of a part: how it ends by itself, or that it writes more than it may.
    async fn take(&mut self, part: &Part, clock: &dyn Clock, most: u64) -> Result<End, Stop> {
        for step in &part.steps {
            match step {
                Step::Wait(time) => {
                    // A clock that is bound to the call ends with it, and so does the command.
                    let _ = clock.sleep(*time).await;
                }
                Step::Write(stream, bytes) => self.push(*stream, bytes),
            }
            if self.kept.iter().map(Capture::total).sum::<u64>() > most {
                return Err(Stop::Output);
            }
        }
        match part.end {
            Some(end) => Ok(end),
            None => pending().await,
        }
    }

    fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let [out, err] = &mut self.kept;
        if stream == Stream::Out { out } else { err }.push(bytes);
        if let Some(progress) = &self.progress {
            progress.push(stream, bytes);
        }
        if let Some(live) = &mut self.live {
            live.push(stream, bytes);
            live.flush(false);
        }
    }

    fn finish(mut self) -> [Captured; 2] {
        if let Some(live) = &mut self.live {
            live.flush(true);
        }
        self.kept.map(|kept| kept.finish())
    }
}
