//! The process sandbox: commands that the kernel confines (sandbox.md §6–§17).
//!
//! A program that runs commands makes [`Sandbox::init`] the first statement of `main`: each command is built by the program
//! itself, started once more as a helper. [`Sandbox::open`] finds out once what works on this machine; a command is refused
//! unless every guarantee is given. What is decided is in pure files ([`layers`], [`policy`], [`mod@env`], [`capture`]), what
//! the kernel is told is in the private module `helper`.

mod background;
mod cancel;
pub mod capture;
mod cgroup;
mod command;
mod disk;
mod engine;
pub mod env;
mod git_config;
mod git_directory;
mod git_index;
mod git_programs;
mod gitlinks;
mod ground;
mod guarded;
mod helper;
mod kept;
pub mod layers;
mod live;
mod outcome;
mod pipe;
mod places;
pub mod policy;
mod probe;
mod quarantine;
mod queue;
mod ready;
mod report;
mod scratch;
mod spawn;
mod stand_in;
mod supervise;
mod watch;
mod way;
mod window;
mod wire;

use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use tokio::sync::oneshot;
use tool_core::{Effect, ToolContext, ToolError};

pub use background::{Ended, Running, State, Stream, Written};
pub use command::Command;
pub(crate) use outcome::signal_name;
pub use outcome::{CommandResult, Confinement, End, Finished, Stop};
pub use policy::{Mode, Network, NetworkGuard, SandboxPolicy};
pub use report::Report;
pub use stand_in::{NotStarted, Part, StandIn, Step};
pub use window::{Page, Window};

use crate::workspace::{Workspace, refusal};
use background::Progress;
use cancel::Cancel;
use engine::Engine;
use layers::Layer;
use queue::{Place, Queue};
use stand_in::Performance;
use supervise::{Follower, Job, Outcome};
use watch::Watch;
use wire::{Refusal, Stage};

/// Names the layers to do without, for tests of the fallbacks.
pub(crate) const FORCE_MISSING: &str = "TOOLBOX_SANDBOX_FORCE_MISSING";
/// Time that a call keeps for answering behind the end of its command, but never more than half of what it has left.
const ANSWER_TIME: Duration = Duration::from_secs(1);

/// Whether [`Sandbox::init`] has run in this process.
static READY: AtomicBool = AtomicBool::new(false);

/// Becomes the helper if the program was started as one; else returns at once.
pub fn init() {
    helper::become_if_asked();
    READY.store(true, Ordering::Release);
}

/// Runs commands; a capability, cheap to clone.
///
/// The value that a tool gets is bound to its call ([`Sandbox::for_call`]): commands end with the call.
#[derive(Clone, Debug)]
pub struct Sandbox {
    shared: Arc<Shared>,
    call: Option<ToolContext>,
}

#[derive(Debug)]
struct Shared {
    engine: Engine,
    queue: Queue,
    unnamed_calls: AtomicU64,
    stand_in: OnceLock<Arc<dyn StandIn>>,
}

impl Sandbox {
    /// Becomes the helper if the program was started as one: the first statement of `main`.
    pub fn init() {
        init();
    }

    /// Opens it. What works here is found out at the first command or [`Sandbox::report`]; commands that cannot be
    /// confined are refused when they are run.
    ///
    /// # Errors
    /// `not_configured` for a policy that cannot hold.
    pub fn open(policy: SandboxPolicy, workspace: &Workspace) -> Result<Self, ToolError> {
        let mut policy = policy;
        policy.limits.check()?;
        policy.check()?;
        policy.missing.extend(forced_missing());
        env::passed(|_| None, &policy.env, policy.network)?;
        let queue = Queue::new(&policy.limits);
        let engine = Engine::new(policy, workspace, READY.load(Ordering::Acquire)).map_err(|error| {
            ToolError::not_configured("The sandbox cannot be opened.")
                .code("sandbox_unavailable")
                .source(error)
        })?;
        let shared =
            Arc::new(Shared { engine, queue, unnamed_calls: AtomicU64::new(0), stand_in: OnceLock::new() });
        Ok(Self { shared, call: None })
    }

    /// The same sandbox bound to a call: its deadline and cancellation.
    #[must_use]
    pub fn for_call(&self, ctx: &ToolContext) -> Self {
        Self { shared: Arc::clone(&self.shared), call: Some(ctx.clone()) }
    }

    /// Lets somebody perform the commands from now on in place of the machine, for tests. Says whether nobody else does already.
    pub fn inject(&self, stand_in: Arc<dyn StandIn>) -> bool {
        self.shared.stand_in.set(stand_in).is_ok()
    }

    /// What works here.
    pub fn report(&self) -> &Report {
        &self.shared.engine.explored().report
    }

    /// The rules.
    pub fn policy(&self) -> &SandboxPolicy {
        &self.shared.engine.policy
    }

    /// The workspace that commands run in.
    pub fn workspace(&self) -> &Workspace {
        &self.shared.engine.workspace
    }

    /// Whose call this is bound to.
    pub(crate) fn call(&self) -> Option<&ToolContext> {
        self.call.as_ref()
    }

    /// Runs a command to its end. That it failed, or was stopped, is a result here; see [`Finished::error`].
    ///
    /// # Errors
    /// What kept it from starting: `sandbox_unavailable`, `command_not_found`, `permission_denied`, those of paths for
    /// its directory, `queue_full`, `cancelled`.
    pub async fn run(&self, command: Command) -> Result<Finished, ToolError> {
        self.refuse_unusable()?;
        let place = self.place().await?;
        let program = command.argv.first().cloned().unwrap_or_default();
        self.tell(&command);
        let timeout = self.time_for(command.timeout);
        let outcome = match self.shared.stand_in.get() {
            Some(stand_in) => self.performed(&**stand_in, &command, timeout).await?,
            None => {
                let mut job = self.job(&command, timeout)?;
                job.watched = self.call.clone();
                self.supervised(job, place).await?
            }
        };
        self.finished(outcome, timeout, &program)
    }

    /// Starts a command and returns while it runs; it ends when the [`Running`] is dropped.
    ///
    /// # Errors
    /// As [`Sandbox::run`].
    pub async fn start(&self, command: Command) -> Result<Running, ToolError> {
        self.refuse_unusable()?;
        let place = self.place().await?;
        let program = command.argv.first().cloned().unwrap_or_default();
        self.tell(&command);
        let (progress, changed) = Progress::new(self.policy().limits.background_buffer_bytes);
        // It outlives the call, so the call's deadline does not bind it.
        let timeout = command.timeout;
        if let Some(stand_in) = self.shared.stand_in.get() {
            let mut performance = self.performance(&**stand_in, &command, timeout)?;
            if let Some(refused) = performance.refusal() {
                return Err(self.refused(refused, &program));
            }
            performance.progress = Some(Arc::clone(&progress));
            let cancel = Arc::clone(&performance.cancel);
            let running =
                Running { progress: Arc::clone(&progress), cancel, changed, started: Instant::now() };
            tokio::spawn(async move {
                let outcome = performance.run().await;
                drop(place);
                progress.end(Some(&outcome));
            });
            return Ok(running);
        }
        let mut job = self.job(&command, timeout)?;
        let (tell, started) = oneshot::channel();
        job.follower = Some(Follower { progress: Arc::clone(&progress), started: Mutex::new(Some(tell)) });
        let cancel = Arc::clone(&job.cancel);
        let running = Running { progress: Arc::clone(&progress), cancel, changed, started: Instant::now() };
        let outcome = self.on_thread(job, place, move |outcome| progress.end(outcome.as_ref().ok()))?;
        if started.await.is_ok() {
            return Ok(running);
        }
        let outcome = outcome.await.map_err(gone)?.map_err(start_failed)?;
        Err(self.refused(outcome.refusal.unwrap_or_else(Outcome::silent), &program))
    }

    fn refuse_unusable(&self) -> Result<(), ToolError> {
        match self.shared.stand_in.get().map_or_else(|| self.report().refusal(), |_| None) {
            Some(text) => Err(unavailable(text)),
            None => Ok(()),
        }
    }

    /// A place in the queue, unless the call ends before.
    async fn place(&self) -> Result<Place, ToolError> {
        let Some(ctx) = &self.call else { return self.shared.queue.enter().await };
        ctx.check()?;
        tokio::select! {
            place = self.shared.queue.enter() => place,
            () = ctx.cancelled() => Err(match ctx.check() {
                Err(error) => error,
                Ok(()) => ToolError::cancelled("The call was cancelled."),
            }
            .effect(Effect::None)),
        }
    }

    /// Tells whoever listens that a command is about to be started.
    fn tell(&self, command: &Command) {
        if let Some(call) = &self.call {
            call.accesses("commands", format_args!("{}", command.argv.join(" ")));
        }
        // What a command changes is not seen; one of a call that may change things is taken to.
        if let Some(call) = &self.call
            && call.running().is_some_and(|running| running.behavior().side_effect)
        {
            call.acts();
        }
    }

    fn job(&self, command: &Command, timeout: Duration) -> Result<Job, ToolError> {
        let engine = &self.shared.engine;
        let mut job = engine.job(command, timeout)?;
        if let Some((search, guarded)) = job.surroundings.take()
            && engine.policy.mode != Mode::Off
        {
            let away = engine.policy.quarantine().join(self.call_id());
            job.watch = Some(Watch::begin(search, guarded, away));
        }
        Ok(job)
    }

    /// The call's id, or a number of its own.
    fn call_id(&self) -> String {
        let given = self.call.as_ref().and_then(ToolContext::running).and_then(|call| call.call_id());
        let plain = given.filter(|id| !id.starts_with('.') && id.bytes().all(is_plain));
        plain.map_or_else(
            || {
                let number = self.shared.unnamed_calls.fetch_add(1, Ordering::Relaxed);
                format!("call-{}-{number}", std::process::id())
            },
            str::to_owned,
        )
    }

    /// The smaller of what is asked for and what is left of the call, less the time to answer.
    fn time_for(&self, wanted: Duration) -> Duration {
        let left = self.call.as_ref().and_then(ToolContext::time_left);
        left.map_or(wanted, |left| without_answer(left).min(wanted))
    }

    /// Runs a job on a thread of its own; when this future is dropped or the call is cancelled, the command is ended.
    async fn supervised(&self, job: Job, place: Place) -> Result<Outcome, ToolError> {
        let guard = CancelOnDrop(Arc::clone(&job.cancel));
        let mut outcome = self.on_thread(job, place, |_| {})?;
        if let Some(ctx) = &self.call {
            tokio::select! {
                biased;
                ended = &mut outcome => return ended.map_err(gone)?.map_err(start_failed),
                () = ctx.cancelled() => guard.0.cancel(),
            }
        }
        outcome.await.map_err(gone)?.map_err(start_failed)
    }

    /// What stands in for a command, with all that surrounds it.
    fn performance(
        &self,
        stand_in: &dyn StandIn,
        command: &Command,
        timeout: Duration,
    ) -> Result<Performance, ToolError> {
        let workspace = self.workspace();
        if let Some(directory) = &command.directory {
            let handle = workspace.directory(directory)?;
            handle.directory().map_err(|errno| refusal::system(directory.given(), errno))?;
        }
        let part = stand_in.part(&command.argv)?;
        let cancel = Arc::new(Cancel::new().map_err(start_failed)?);
        Ok(Performance::new(part, stand_in.clock(), timeout, &self.policy().limits, cancel))
    }

    /// Performs a command; when the call is cancelled, it is ended.
    async fn performed(
        &self,
        stand_in: &dyn StandIn,
        command: &Command,
        timeout: Duration,
    ) -> Result<Outcome, ToolError> {
        let mut performance = self.performance(stand_in, command, timeout)?;
        performance.live = self.call.as_ref().and_then(live::Live::of);
        let cancel = Arc::clone(&performance.cancel);
        let mut outcome = pin!(performance.run());
        if let Some(ctx) = &self.call {
            tokio::select! {
                biased;
                outcome = &mut outcome => return Ok(outcome),
                () = ctx.cancelled() => cancel.cancel(),
            }
        }
        Ok(outcome.await)
    }

    /// Supervises a job on a thread of its own and gives its place back at the end.
    fn on_thread(
        &self,
        mut job: Job,
        place: Place,
        at_end: impl FnOnce(&io::Result<Outcome>) + Send + 'static,
    ) -> Result<oneshot::Receiver<io::Result<Outcome>>, ToolError> {
        let (send, outcome) = oneshot::channel();
        let shared = Arc::clone(&self.shared);
        let body = move || {
            let outcome = shared.engine.supervise(&job);
            // Whoever waits for a start that never came learns of it here.
            job.follower = None;
            let plan = job.plan.clone();
            drop((job, place));
            if let Err(error) = shared.engine.workspace.measure() {
                tracing::warn!(%error, "the workspace could not be measured");
            }
            at_end(&outcome);
            let _ = send.send(outcome);
            shared.engine.prepare_next(&plan);
        };
        std::thread::Builder::new().name("sandbox-command".to_owned()).spawn(body).map_err(start_failed)?;
        Ok(outcome)
    }

    /// Why nothing of a command ran.
    fn refused(&self, why: Refusal, program: &str) -> ToolError {
        refused(why, refusal::echo(program, self.policy().limits.echo_chars))
    }

    fn finished(&self, outcome: Outcome, timeout: Duration, program: &str) -> Result<Finished, ToolError> {
        if let Some(refusal) = outcome.refusal {
            return Err(self.refused(refusal, program));
        }
        if !outcome.started && outcome.stop.is_none() {
            return Err(self.refused(Outcome::silent(), program));
        }
        let deadline_passed =
            self.call.as_ref().and_then(ToolContext::time_left).is_some_and(|left| left.is_zero());
        let stopped = match outcome.stop {
            Some(Stop::Cancelled) if deadline_passed => Some(Stop::TimedOut),
            other => other,
        };
        let mut sandbox = match self.shared.stand_in.get() {
            Some(_) => Confinement::whole(self.policy().network),
            None => self.report().confinement(),
        };
        for path in outcome.cleared.beyond {
            sandbox.gaps.push(format!("{path} leads to more than is looked at after commands"));
        }
        // Of a command that was ended, what was ended with it is no stray.
        let ended_itself = matches!(stopped, None | Some(Stop::FileSize | Stop::Cpu | Stop::Memory));
        Ok(Finished {
            end: outcome.end.unwrap_or(End::Signal(libc::SIGKILL)),
            stopped,
            stdout: outcome.stdout,
            stderr: outcome.stderr,
            duration: outcome.duration,
            timeout,
            cpu: Duration::from_micros(outcome.usage.cpu_micros),
            max_rss_bytes: outcome.usage.rss_bytes,
            quarantined: outcome.cleared.quarantined,
            restored: outcome.cleared.restored,
            left: outcome.cleared.left,
            strays: if ended_itself { outcome.strays } else { 0 },
            sandbox,
        })
    }
}

/// Ends the command when nobody waits for it any more.
struct CancelOnDrop(Arc<Cancel>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// What a call with so much time left gives to a command.
fn without_answer(left: Duration) -> Duration {
    left.saturating_sub(ANSWER_TIME.min(left / 2))
}

/// The layers that operators force to be missing by the environment.
fn forced_missing() -> Vec<Layer> {
    let words = std::env::var(FORCE_MISSING).unwrap_or_default();
    words.split(',').filter_map(|word| Layer::from_word(word.trim())).collect()
}

/// Whether a byte of a call's id can stand in the name of a directory.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

fn unavailable(text: String) -> ToolError {
    ToolError::denied(text)
        .code("sandbox_unavailable")
        .hint("toolbox doctor shows what is missing")
        .effect(Effect::None)
}

fn start_failed(error: io::Error) -> ToolError {
    ToolError::internal("The command could not be started.")
        .code("start_failed")
        .effect(Effect::None)
        .source(error)
}

fn gone(_: oneshot::error::RecvError) -> ToolError {
    ToolError::internal("The command was lost.").code("start_failed")
}

/// Why nothing of a command ran; `program` is cut already.
fn refused(refusal: Refusal, program: &str) -> ToolError {
    let errno = Errno::from_raw_os_error(refusal.errno);
    let error = match (refusal.stage, errno) {
        (Stage::Lookup | Stage::Exec, Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NAMETOOLONG) => {
            ToolError::not_found(format!("Command not found: {program}.")).code("command_not_found")
        }
        (Stage::Lookup | Stage::Exec, _) => {
            ToolError::denied(format!("{program} is not executable.")).code("permission_denied")
        }
        (Stage::Changed, _) => ToolError::conflict("The workspace changed while the command was started.")
            .code("path_changed")
            .hint("try again"),
        (Stage::Directory, _) => {
            ToolError::not_found("The working directory does not exist.").code("path_not_found")
        }
        (stage, _) => {
            let name = probe::errno_name(refusal.errno);
            unavailable(format!("Commands cannot run in the sandbox here: {stage}: {name}."))
        }
    };
    error.effect(Effect::None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_call_keeps_a_share_for_its_answer_and_a_long_one_a_second() {
        let given = |ms| without_answer(Duration::from_millis(ms)).as_millis();
        assert_eq!([0, 1, 300, 1_000, 2_000].map(given), [0, 0, 150, 500, 1_000]);
        assert_eq!([5_000, 60_000].map(given), [4_000, 59_000]);
    }
}
