//! The process sandbox: commands that the kernel confines (sandbox.md §6–§17).
//!
//! A program that runs commands makes [`Sandbox::init`] the first statement of `main`: each command is built by the program
//! itself, started once more as a helper. [`Sandbox::open`] finds out once what works on this machine; a command is refused
//! unless every guarantee is given. What is decided is in pure files ([`layers`], [`policy`], [`env`], [`capture`]), what
//! the kernel is told is in the private module `helper`.

mod background;
pub mod capture;
mod cgroup;
mod command;
pub mod env;
mod git_config;
mod ground;
mod helper;
pub mod layers;
pub mod limits;
mod outcome;
mod places;
pub mod policy;
mod probe;
mod quarantine;
mod queue;
mod report;
mod scratch;
mod spawn;
mod supervise;
mod window;
mod wire;

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use tokio::sync::oneshot;
use tool_core::{Effect, ToolContext, ToolError};

pub use background::{Ended, Running, State, Stream};
pub use command::Command;
pub(crate) use outcome::signal_name;
pub use outcome::{CommandResult, Confinement, End, Finished, Stop};
pub use policy::{Mode, Network, NetworkGuard, SandboxPolicy};
pub use report::Report;
pub use window::{Page, Window};

use crate::workspace::{Workspace, refusal};
use background::Progress;
use cgroup::{Group, Groups};
use ground::{Ground, Private};
use layers::{Layer, Layers};
use limits::CPU_SLACK_SECONDS;
use probe::Try;
use quarantine::Watch;
use queue::{Place, Queue};
use scratch::Scratch;
use spawn::Spawner;
use supervise::{Cancel, Follower, Job, Outcome};
use wire::{Action, Ceilings, Plan, Refusal, Stage};

/// Names the layers to do without, for tests of the fallbacks.
const FORCE_MISSING: &str = "TOOLBOX_SANDBOX_FORCE_MISSING";
/// What a program without `init` is told.
const NOT_READY: &str = "Call tool_std::sandbox::init() first in main.";
/// A workspace that leaves nothing to be kept from commands.
const WHOLE_SYSTEM: &str = "Commands cannot run in the sandbox here: the workspace is the whole file system.";
/// Time that a call keeps for answering behind the end of its command.
const ANSWER_TIME: Duration = Duration::from_secs(1);
/// Longest time of one probe.
const PROBE_TIME: Duration = Duration::from_secs(10);
/// Bytes of what a probe prints.
const PROBE_BYTES: usize = 65_536;
/// Where there is no other means, memory is limited per process only.
const NO_MEMORY_CONTROLLER: &str = "the memory of all processes of a command together is not limited";

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
    policy: SandboxPolicy,
    workspace: Workspace,
    ground: Ground,
    report: Report,
    groups: Option<Groups>,
    spawner: Option<Spawner>,
    queue: Queue,
    unnamed_calls: AtomicU64,
}

impl Sandbox {
    /// Becomes the helper if the program was started as one: the first statement of `main`.
    pub fn init() {
        init();
    }

    /// Finds out what works here. Commands that cannot be confined are refused when they are run, not here.
    ///
    /// # Errors
    /// `not_configured` for a policy that cannot hold.
    pub fn open(policy: SandboxPolicy, workspace: &Workspace) -> Result<Self, ToolError> {
        let mut policy = policy;
        policy.limits.check()?;
        policy.check()?;
        policy.missing.extend(forced_missing());
        env::passed(|_| None, &policy.env, policy.network)?;
        let shared = Shared::explore(policy, workspace).map_err(|error| {
            ToolError::not_configured("The sandbox cannot be opened.")
                .code("sandbox_unavailable")
                .source(error)
        })?;
        let missing = shared.report.confinement().missing;
        if shared.policy.mode == Mode::BestEffort && !missing.is_empty() {
            tracing::warn!(missing = missing.join("; "), "commands run without some guarantees");
        }
        Ok(Self { shared: Arc::new(shared), call: None })
    }

    /// The same sandbox bound to a call: its deadline and cancellation.
    #[must_use]
    pub fn for_call(&self, ctx: &ToolContext) -> Self {
        Self { shared: Arc::clone(&self.shared), call: Some(ctx.clone()) }
    }

    /// What works here.
    pub fn report(&self) -> &Report {
        &self.shared.report
    }

    /// The rules.
    pub fn policy(&self) -> &SandboxPolicy {
        &self.shared.policy
    }

    /// The workspace that commands run in.
    pub fn workspace(&self) -> &Workspace {
        &self.shared.workspace
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
        let job = self.job(command)?;
        let timeout = job.timeout;
        let outcome = self.supervised(job, place).await?;
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
        let timeout = command.timeout;
        let mut job = self.job(command)?;
        // It outlives the call, so the call's deadline does not bind it.
        job.timeout = timeout;
        let (progress, changed) = Progress::new();
        let (tell, started) = oneshot::channel();
        job.follower = Some(Follower { progress: Arc::clone(&progress), started: Mutex::new(Some(tell)) });
        let cancel = Arc::clone(&job.cancel);
        let running = Running { progress: Arc::clone(&progress), cancel, changed, started: Instant::now() };
        let outcome = self.on_thread(job, place, move |outcome| progress.end(outcome.as_ref().ok()))?;
        if started.await.is_ok() {
            return Ok(running);
        }
        let outcome = outcome.await.map_err(gone)?.map_err(start_failed)?;
        Err(refused(outcome.refusal.unwrap_or_else(Outcome::silent), &program))
    }

    fn refuse_unusable(&self) -> Result<(), ToolError> {
        match self.shared.report.refusal() {
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

    fn job(&self, command: Command) -> Result<Job, ToolError> {
        let timeout = self.time_for(command.timeout);
        let shared = &self.shared;
        let mut job = shared.job(&command, timeout)?;
        if shared.policy.mode != Mode::Off {
            let away = shared.policy.quarantine().join(self.call_id());
            job.watch = Some(Watch::begin(&shared.workspace, &shared.ground, &job.plan.directory, away));
        }
        Ok(job)
    }

    /// The call's id, or a number of its own.
    fn call_id(&self) -> String {
        let given = self.call.as_ref().and_then(ToolContext::call).and_then(|call| call.call_id());
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
        let deadline = self.call.as_ref().and_then(ToolContext::deadline);
        let left = deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()).saturating_sub(ANSWER_TIME));
        left.map_or(wanted, |left| left.min(wanted))
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
            let outcome = shared.supervise(&job);
            // Whoever waits for a start that never came learns of it here.
            job.follower = None;
            drop((job, place));
            if let Err(error) = shared.workspace.measure() {
                tracing::warn!(%error, "the workspace could not be measured");
            }
            at_end(&outcome);
            let _ = send.send(outcome);
        };
        std::thread::Builder::new().name("sandbox-command".to_owned()).spawn(body).map_err(start_failed)?;
        Ok(outcome)
    }

    fn finished(&self, outcome: Outcome, timeout: Duration, program: &str) -> Result<Finished, ToolError> {
        if let Some(refusal) = outcome.refusal {
            return Err(refused(refusal, program));
        }
        if !outcome.started && outcome.stop.is_none() {
            return Err(refused(Outcome::silent(), program));
        }
        let deadline_passed =
            self.call.as_ref().and_then(ToolContext::deadline).is_some_and(|at| at <= Instant::now());
        let stopped = match outcome.stop {
            Some(Stop::Cancelled) if deadline_passed => Some(Stop::TimedOut),
            other => other,
        };
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
            quarantined: outcome.quarantined,
            strays: if ended_itself { outcome.strays } else { 0 },
            sandbox: self.shared.report.confinement(),
        })
    }
}

impl Shared {
    /// Opens everything and tries it.
    fn explore(policy: SandboxPolicy, workspace: &Workspace) -> io::Result<Self> {
        let ground = Ground::survey(&policy, workspace)?;
        let spawner = Spawner::new(policy.helper.as_deref())?;
        let helper = if spawner.is_other_program() { "other" } else { "self" };
        let is_ready = READY.load(Ordering::Acquire) || spawner.is_other_program();
        let mut layers = Layers::without(&implied(&policy.missing));
        let mut groups = None;
        if layers.has(Layer::Cgroup) {
            match Groups::find() {
                Ok(found) => groups = Some(found),
                Err(why) => layers.remove(Layer::Cgroup, why),
            }
        }
        let mut shared = Self {
            queue: Queue::new(&policy.limits),
            report: Report::new(&policy, layers.clone(), helper),
            policy,
            workspace: workspace.clone(),
            ground,
            groups,
            spawner: is_ready.then_some(spawner),
            unnamed_calls: AtomicU64::new(0),
        };
        shared.report = match shared.probed(layers) {
            Ok(layers) => Report::new(&shared.policy, layers, helper),
            Err(why) => shared.report.clone().unusable(why),
        };
        if shared.groups.as_ref().is_some_and(|groups| !groups.limits_memory()) {
            shared.report.gap(NO_MEMORY_CONTROLLER);
        }
        Ok(shared)
    }

    /// The layers that can be built here and hold; or why no command can be started.
    fn probed(&self, layers: Layers) -> Result<Layers, String> {
        if self.spawner.is_none() {
            return Err(NOT_READY.to_owned());
        }
        if self.ground.root() == std::path::Path::new("/") {
            return Err(WHOLE_SYSTEM.to_owned());
        }
        if self.policy.mode == Mode::Off {
            let off = [Layer::Rlimits, Layer::Sweep];
            let mut rest = layers;
            for layer in Layer::ALL.into_iter().filter(|layer| !off.contains(layer)) {
                rest.remove(layer, "sandbox.mode is off");
            }
            return Ok(rest);
        }
        let outside = Scratch::make("probe").map_err(|error| error.to_string())?;
        let found = probe::explore(layers, |layers| self.try_layers(layers, &outside));
        found.map_err(|why| format!("Commands cannot run in the sandbox here: {why}."))
    }

    /// Builds layers once and tries to break out of them.
    fn try_layers(&self, layers: &Layers, outside: &Scratch) -> Result<Try, String> {
        let agent = i32::try_from(std::process::id()).unwrap_or(0);
        let action = Action::Probe { agent, outside: wire::Bytes(outside.path().to_path_buf()) };
        let mut job = self
            .prepare(layers, &Command::new("", PROBE_TIME), PROBE_TIME, |_, _| action)
            .map_err(|error| error.message().to_owned())?;
        job.stream_bytes = PROBE_BYTES;
        let outcome = self.supervise(&job).map_err(|error| error.to_string())?;
        match outcome.refusal {
            Some(refusal) => Ok(Try::Refused(refusal)),
            None if outcome.end == Some(End::Exit(0)) => {
                let through =
                    serde_json::from_str(&outcome.stdout.text).map_err(|error| error.to_string())?;
                Ok(Try::Built(through))
            }
            None => Ok(Try::Refused(Outcome::silent())),
        }
    }

    fn supervise(&self, job: &Job) -> io::Result<Outcome> {
        let spawner = self.spawner.as_ref().ok_or_else(|| io::Error::other(NOT_READY))?;
        supervise::run(job, spawner)
    }

    fn job(&self, command: &Command, timeout: Duration) -> Result<Job, ToolError> {
        let mut variables =
            env::passed(|name| std::env::var(name).ok(), &self.policy.env, self.policy.network)?;
        variables.extend(command.extra.clone());
        let argv = command.argv.clone();
        self.prepare(self.report.layers(), command, timeout, |directory, private| {
            self.ground.set(&mut variables, directory, private);
            Action::Run { argv, env: variables.into_iter().collect() }
        })
    }

    /// Everything that a helper needs for an action.
    fn prepare(
        &self,
        layers: &Layers,
        command: &Command,
        timeout: Duration,
        action: impl FnOnce(&crate::workspace::Relative, Option<&Private>) -> Action,
    ) -> Result<Job, ToolError> {
        let directory = match &command.directory {
            Some(directory) => directory.clone(),
            None => self.workspace.resolve(".".as_ref())?,
        };
        let handle = self.workspace.directory(&directory)?;
        let relative = handle.relative.clone();
        let opened = handle.directory().map_err(|errno| refusal::system(directory.given(), errno))?;
        let private = match layers.has(Layer::Mounts) {
            true => None,
            false => Some(Private::make().map_err(start_failed)?),
        };
        let limits = &self.policy.limits;
        let group = self.group(layers).map_err(start_failed)?;
        let plan = Plan {
            layers: layers.working().to_vec(),
            network: self.policy.network,
            view: self.ground.view(&self.workspace, &relative, private.as_ref()),
            directory: wire::Bytes(relative_path(&relative)),
            ceilings: self.ceilings(layers, timeout),
            action: action(&relative, private.as_ref()),
        };
        let stream_bytes = limits.max_stream_bytes.min(limits.max_total_output_bytes);
        Ok(Job {
            plan,
            root: rustix::io::fcntl_dupfd_cloexec(self.workspace.opener().root(), 0)
                .map_err(io::Error::from)
                .map_err(start_failed)?,
            directory: opened,
            group,
            private,
            watch: None,
            timeout,
            stream_bytes: usize::try_from(stream_bytes).unwrap_or(usize::MAX),
            total_bytes: limits.max_total_output_bytes,
            free_space_floor: self.workspace.limits().free_space_floor,
            cancel: Arc::new(Cancel::new().map_err(start_failed)?),
            follower: None,
        })
    }

    fn group(&self, layers: &Layers) -> io::Result<Option<Group>> {
        let limits = &self.policy.limits;
        let groups = self.groups.as_ref().filter(|groups| {
            // Beside a PID namespace a group that only ends processes would add nothing but time.
            let limits = groups.limits_memory() || groups.limits_processes();
            layers.has(Layer::Cgroup) && (limits || !layers.has(Layer::Pidns))
        });
        groups.map(|groups| groups.create(limits.max_memory_bytes, limits.max_processes)).transpose()
    }

    fn ceilings(&self, layers: &Layers, timeout: Duration) -> Ceilings {
        let limits = &self.policy.limits;
        let groups = self.groups.as_ref().filter(|_| layers.has(Layer::Cgroup));
        let counted = layers.has(Layer::PidMax) || groups.is_some_and(Groups::limits_processes);
        let limited = counted || (layers.has(Layer::Rlimits) && !rustix::process::getuid().is_root());
        Ceilings {
            file_bytes: limits.max_file_bytes,
            memory_bytes: (!groups.is_some_and(Groups::limits_memory)).then_some(limits.max_memory_bytes),
            processes: limits.max_processes,
            cpu_seconds: timeout.as_secs().saturating_add(CPU_SLACK_SECONDS),
            count: !limited,
        }
    }
}

/// Ends the command when nobody waits for it any more.
struct CancelOnDrop(Arc<Cancel>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The layers that operators force to be missing by the environment.
fn forced_missing() -> Vec<Layer> {
    let words = std::env::var(FORCE_MISSING).unwrap_or_default();
    words.split(',').filter_map(|word| Layer::from_word(word.trim())).collect()
}

/// Without user namespaces a test stands for a user without privilege, who gets no other namespace either.
fn implied(forced: &[Layer]) -> Vec<Layer> {
    let mut all = forced.to_vec();
    if forced.contains(&Layer::Userns) {
        all.extend([Layer::Mounts, Layer::Pidns, Layer::Netns]);
    }
    if all.contains(&Layer::Pidns) {
        all.push(Layer::PidMax);
    }
    all
}

/// Whether a byte of a call's id can stand in the name of a directory.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

fn relative_path(relative: &crate::workspace::Relative) -> std::path::PathBuf {
    if relative.is_root() { std::path::PathBuf::new() } else { relative.as_path().to_path_buf() }
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

/// Why nothing of a command ran.
fn refused(refusal: Refusal, program: &str) -> ToolError {
    let program = refusal::echo(program);
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
