//! One command from the program's side: starts its helper, drains its output, watches its limits, ends it (sandbox.md §12).
//!
//! A blocking loop on a thread of its own. Whatever happens, it returns only when nobody of the call is left.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{Shutdown, shutdown};
use tokio::sync::oneshot;
use tool_core::ToolContext;

use super::background::{Progress, Stream};
use super::cancel::{Cancel, KILL};
use super::capture::Captured;
use super::cgroup::Group;
use super::disk::Disk;
use super::ground::Private;
use super::guarded::{Guarded, Search};
use super::live::Live;
use super::outcome::{End, Stop};
use super::pipe::Pipe;
use super::ready::{Helper, Pool};
use super::spawn::{Remains, Spawner};
use super::watch::{Cleared, Watch};
use super::wire::{Errand, Message, Plan, Refusal, Stage, Usage, receive, send, send_with};
use crate::workspace::Workspace;

/// Longest time from the start of the helper to the start of the command.
const SETUP_TIME: Duration = Duration::from_secs(10);
/// Longest time that a helper takes to end everything once it is told.
const KILL_TIME: Duration = Duration::from_secs(1);
/// Longest time that the pipes are read when everything has ended.
const DRAIN_TIME: Duration = Duration::from_millis(200);
/// How often the disk and the sum of all output are looked at. What a caller cancels within a round is cancelled, however
/// much it wrote: what is too much costs neither memory nor disk.
const ROUND: Duration = Duration::from_millis(250);
/// Bytes read at once.
const CHUNK: usize = 65_536;

/// Everything that one command needs.
pub(super) struct Job {
    pub(super) plan: Plan,
    pub(super) errand: Errand,
    pub(super) root: OwnedFd,
    pub(super) directory: OwnedFd,
    pub(super) group: Option<Arc<Group>>,
    /// Lives as long as the command.
    #[expect(dead_code, reason = "held for its drop")]
    pub(super) private: Option<Private>,
    /// What is guarded around it, until it is watched.
    pub(super) surroundings: Option<(Search, Guarded)>,
    pub(super) watch: Option<Watch>,
    pub(super) timeout: Duration,
    pub(super) stream_bytes: usize,
    pub(super) total_bytes: u64,
    /// SIGTERM to SIGKILL.
    pub(super) grace: Duration,
    pub(super) workspace: Workspace,
    pub(super) cancel: Arc<Cancel>,
    /// Who follows a background command.
    pub(super) follower: Option<Follower>,
    /// Whose output somebody watches.
    pub(super) watched: Option<ToolContext>,
}

/// Hears of the start of a background command and of its output.
pub(super) struct Follower {
    pub(super) progress: Arc<Progress>,
    pub(super) started: Mutex<Option<oneshot::Sender<()>>>,
}

/// What became of it.
pub(super) struct Outcome {
    pub(super) started: bool,
    pub(super) refusal: Option<Refusal>,
    pub(super) end: Option<End>,
    pub(super) stop: Option<Stop>,
    pub(super) stdout: Captured,
    pub(super) stderr: Captured,
    pub(super) duration: Duration,
    pub(super) usage: Usage,
    pub(super) strays: u32,
    pub(super) cleared: Cleared,
}

/// Runs a command to its end.
pub(super) fn run(job: &Job, spawner: &Spawner, pool: &Pool) -> io::Result<Outcome> {
    let Helper { socket, stdout, stderr, child, group } = start(job, spawner, pool)?;
    let mut call = Running {
        job,
        socket,
        streams: [
            Pipe::new(Stream::Out, stdout, job.stream_bytes),
            Pipe::new(Stream::Err, stderr, job.stream_bytes),
        ],
        child,
        group,
        began: Instant::now(),
        started: None,
        refusal: None,
        end: None,
        usage: None,
        strays: 0,
        phase: Phase::Running,
        stop: None,
        looked: Instant::now(),
        disk: Disk::watch(&job.workspace),
        live: job.watched.as_ref().and_then(Live::of),
    };
    call.watch()?;
    // Whoever has told the usage has waited for everybody, and only itself is left to end.
    if call.usage.is_none() {
        call.child.wait()?;
    }
    call.drain();
    if let Some(live) = &mut call.live {
        live.flush(true);
    }
    let watch = job.watch.as_ref().filter(|_| call.started.is_some());
    let cleared = watch.map(Watch::end).unwrap_or_default();
    let (outcome, remains) = call.outcome();
    spawner.bury(remains);
    Ok(Outcome { cleared, ..outcome })
}

/// A helper that has its errand: one that was ready, or a new one.
fn start(job: &Job, spawner: &Spawner, pool: &Pool) -> io::Result<Helper> {
    let errand = |helper: &Helper| send_with(helper.socket.as_fd(), &job.errand, job.directory.as_fd());
    if let Some(helper) = pool.take(&job.plan, spawner) {
        match errand(&helper) {
            Ok(()) => return Ok(helper),
            // It did not live to see its command.
            Err(_) => spawner.discard(helper),
        }
    }
    let mut helper = Helper::start(spawner, &job.plan, &job.root, job.group.clone())?;
    match errand(&helper) {
        // A helper that ended already has said why.
        Ok(()) | Err(Errno::PIPE | Errno::CONNRESET) => Ok(helper),
        Err(error) => {
            helper.end();
            Err(error.into())
        }
    }
}

/// How far a command is on its way to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    /// It was asked to end; it is made to at that time.
    Asked(Instant),
    /// The helper was told to end everything; it is ended itself at that time.
    Told(Instant),
    /// The helper was ended.
    Forced,
}

struct Running<'a> {
    job: &'a Job,
    socket: OwnedFd,
    streams: [Pipe; 2],
    child: Child,
    group: Option<Arc<Group>>,
    began: Instant,
    started: Option<Instant>,
    refusal: Option<Refusal>,
    end: Option<End>,
    usage: Option<Usage>,
    strays: u32,
    phase: Phase,
    stop: Option<Stop>,
    looked: Instant,
    disk: Disk,
    live: Option<Live>,
}

impl Running<'_> {
    /// Goes on until the helper has ended, and with it everything else.
    fn watch(&mut self) -> io::Result<()> {
        let mut chunk = vec![0; CHUNK];
        loop {
            let (talks, cancelled, writes) = self.wait()?;
            for (stream, writes) in self.streams.iter_mut().zip(writes) {
                if writes {
                    stream.read(&mut chunk, self.job.follower.as_ref(), self.live.as_mut());
                }
            }
            // Behind its usage a helper has nothing to tell; the kernel takes its time to end it.
            if talks && (!self.listen() || self.usage.is_some()) {
                break;
            }
            if cancelled {
                self.ask(Stop::Cancelled);
                if self.job.cancel.take() >= KILL {
                    self.hasten();
                }
            }
            if let Some(live) = &mut self.live {
                live.flush(false);
            }
            self.look_at_limits();
            self.go_on();
        }
        Ok(())
    }

    /// Waits for the next thing to happen: a message, a cancellation, output of either stream.
    fn wait(&self) -> io::Result<(bool, bool, [bool; 2])> {
        let [stdout, stderr] = &self.streams;
        let wanted = |open| if open { PollFlags::IN } else { PollFlags::empty() };
        let can_cancel = matches!(self.phase, Phase::Running | Phase::Asked(_));
        let mut ready = [
            PollFd::new(&self.socket, PollFlags::IN),
            PollFd::new(&self.job.cancel.event, wanted(can_cancel)),
            PollFd::new(&stdout.pipe, wanted(stdout.open)),
            PollFd::new(&stderr.pipe, wanted(stderr.open)),
        ];
        let timeout = Timespec::try_from(self.until_next()).unwrap_or(Timespec { tv_sec: 0, tv_nsec: 0 });
        match poll(&mut ready, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let [socket, cancel, out, err] = ready.map(|fd| !fd.revents().is_empty());
        Ok((socket, cancel && can_cancel, [out && stdout.open, err && stderr.open]))
    }

    /// The time until something has to be done though nothing happened.
    fn until_next(&self) -> Duration {
        let next = match self.phase {
            Phase::Running => self.deadline().min(self.looked + ROUND),
            Phase::Asked(at) | Phase::Told(at) => at,
            Phase::Forced => Instant::now() + KILL_TIME,
        };
        let next = self.live.as_ref().and_then(Live::due).map_or(next, |due| due.min(next));
        next.saturating_duration_since(Instant::now())
    }

    fn deadline(&self) -> Instant {
        match self.started {
            Some(started) => started + self.job.timeout,
            None => self.began + SETUP_TIME,
        }
    }

    /// Takes the helper's messages; false when it has ended.
    fn listen(&mut self) -> bool {
        loop {
            match receive(&self.socket) {
                Ok(Some(message)) => self.take(message),
                Ok(None) => return false,
                Err(Errno::AGAIN) => return true,
                // It ended without having read its errand; what it said before is still to come.
                Err(Errno::CONNRESET) => {}
                Err(_) => return false,
            }
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Started(_) => {
                self.started = Some(Instant::now());
                self.tell_follower();
            }
            Message::Refused(refusal) => {
                self.refusal.get_or_insert(refusal);
            }
            Message::Exit(code) => self.end = Some(End::Exit(code)),
            Message::Signal(number) => self.end = Some(End::Signal(number)),
            Message::Left(count) => self.strays += count,
            Message::Crowded => {
                self.stop.get_or_insert(Stop::Processes);
            }
            Message::Ended(usage) => self.usage = Some(usage),
            Message::Terminate => {}
        }
    }

    fn tell_follower(&self) {
        let Some(follower) = &self.job.follower else { return };
        let sender = follower.started.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(sender) = sender {
            let _ = sender.send(());
        }
    }

    fn look_at_limits(&mut self) {
        if self.phase != Phase::Running {
            return;
        }
        let now = Instant::now();
        if now >= self.deadline() && self.end.is_none() {
            self.ask(Stop::TimedOut);
        } else if now >= self.looked + ROUND {
            self.looked = now;
            if self.wrote_too_much() {
                self.ask(Stop::Output);
            } else if self.disk.is_full() {
                self.ask(Stop::Disk);
            }
        }
    }

    fn wrote_too_much(&self) -> bool {
        self.streams.iter().map(|stream| stream.kept.total()).sum::<u64>() > self.job.total_bytes
    }

    /// Asks the command to end; the first reason counts.
    fn ask(&mut self, why: Stop) {
        if self.phase != Phase::Running || self.end.is_some() {
            return;
        }
        self.stop.get_or_insert(why);
        let _ = send(&self.socket, Message::Terminate);
        self.phase = Phase::Asked(Instant::now() + self.job.grace);
    }

    /// Leaves out the time that a command has to end by itself.
    fn hasten(&mut self) {
        if let Phase::Asked(_) = self.phase {
            self.phase = Phase::Asked(Instant::now());
        }
    }

    /// Goes to the next, harder step when the time for it has come.
    fn go_on(&mut self) {
        let now = Instant::now();
        match self.phase {
            Phase::Asked(at) if now >= at => {
                if let Some(group) = &self.group {
                    group.kill();
                }
                let _ = shutdown(&self.socket, Shutdown::Write);
                self.phase = Phase::Told(now + KILL_TIME);
            }
            Phase::Told(at) if now >= at => {
                let _ = self.child.kill();
                self.phase = Phase::Forced;
            }
            _ => {}
        }
    }

    /// Reads the pipes to their ends.
    fn drain(&mut self) {
        let until = Instant::now() + DRAIN_TIME;
        let mut chunk = vec![0; CHUNK];
        for stream in &mut self.streams {
            while stream.open && Instant::now() < until {
                if !stream.read(&mut chunk, self.job.follower.as_ref(), self.live.as_mut()) && stream.open {
                    let left = until.saturating_duration_since(Instant::now());
                    let timeout = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 0, tv_nsec: 0 });
                    let _ = poll(&mut [PollFd::new(&stream.pipe, PollFlags::IN)], Some(&timeout));
                }
            }
        }
    }

    fn outcome(mut self) -> (Outcome, Remains) {
        let out_of_memory = self.group.as_deref().is_some_and(Group::ran_out_of_memory);
        let wrote_too_much = self.wrote_too_much();
        self.stop = self.stop.or(match self.end {
            Some(_) if wrote_too_much => Some(Stop::Output),
            Some(End::Signal(libc::SIGXFSZ)) => Some(Stop::FileSize),
            Some(End::Signal(libc::SIGXCPU)) => Some(Stop::Cpu),
            Some(End::Exit(0)) => None,
            _ if out_of_memory => Some(Stop::Memory),
            _ => None,
        });
        let [stdout, stderr] = self.streams.map(|stream| stream.kept.finish());
        let outcome = Outcome {
            started: self.started.is_some(),
            refusal: self.refusal,
            end: self.end,
            stop: self.stop,
            stdout,
            stderr,
            duration: self.started.unwrap_or(self.began).elapsed(),
            usage: self.usage.unwrap_or_default(),
            strays: self.strays,
            cleared: Cleared::default(),
        };
        (outcome, (self.child, self.group))
    }
}

impl Outcome {
    /// A helper that ended without a word.
    pub(super) fn silent() -> Refusal {
        Refusal { stage: Stage::Process, errno: Errno::PIPE.raw_os_error() }
    }
}
