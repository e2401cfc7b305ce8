//! What starts commands: the machine as it was found, and the plan of each command (sandbox.md §7, §13).
//!
//! What works here is found out once, when it is first asked for, by building every layer and trying to break out.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tool_core::{Effect, ToolError};

use super::cancel::Cancel;
use super::cgroup::{Group, Groups};
use super::command::Command;
use super::env;
use super::ground::{Ground, Private};
use super::guarded::Search;
use super::layers::{Layer, Layers};
use super::outcome::End;
use super::policy::{Mode, SandboxPolicy};
use super::probe::{self, Try};
use super::ready::{Helper, Pool};
use super::report::Report;
use super::scratch::Scratch;
use super::spawn::Spawner;
use super::start_failed;
use super::supervise::{self, Job, Outcome};
use super::wire::{self, Action, Ceilings, Errand, Plan};
use crate::workspace::{Relative, Workspace, refusal};

/// What a program without `init` is told.
const NOT_READY: &str = "Call tool_std::sandbox::init() first in main.";
/// A workspace that leaves nothing to be kept from commands.
const WHOLE_SYSTEM: &str = "Commands cannot run in the sandbox here: the workspace is the whole file system.";
/// Seconds of CPU beyond the timeout.
const CPU_SLACK_SECONDS: u64 = 5;
/// Longest time of one probe.
const PROBE_TIME: Duration = Duration::from_secs(10);
/// Bytes of what a probe prints.
const PROBE_BYTES: usize = 65_536;
/// Where there is no other means, memory is limited per process only; also what is lost with control groups.
const NO_MEMORY_CONTROLLER: &str = "the memory of all processes of a command together is not limited";

/// Starts commands in one workspace by one policy.
#[derive(Debug)]
pub(super) struct Engine {
    pub(super) policy: SandboxPolicy,
    pub(super) workspace: Workspace,
    pub(super) ground: Ground,
    spawner: Option<Spawner>,
    helper: &'static str,
    explored: OnceLock<Explored>,
    pool: Pool,
    /// Commands that have ended.
    commands: AtomicU64,
}

/// Helpers that still wait for a command end with the sandbox.
impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(spawner) = &self.spawner {
            self.pool.close(spawner);
        }
    }
}

/// What works here.
#[derive(Debug)]
pub(super) struct Explored {
    pub(super) report: Report,
    groups: Option<Groups>,
}

impl Engine {
    /// Looks around; what works is found out by [`Engine::explored`].
    pub(super) fn new(policy: SandboxPolicy, workspace: &Workspace, is_ready: bool) -> io::Result<Self> {
        let ground = Ground::survey(&policy, workspace)?;
        let spawner = Spawner::new(policy.helper.as_deref())?;
        let helper = if spawner.is_other_program() { "other" } else { "self" };
        let is_ready = is_ready || spawner.is_other_program();
        Ok(Self {
            policy,
            workspace: workspace.clone(),
            ground,
            spawner: is_ready.then_some(spawner),
            helper,
            explored: OnceLock::new(),
            pool: Pool::default(),
            commands: AtomicU64::new(0),
        })
    }

    /// What works here, found out once by building it.
    pub(super) fn explored(&self) -> &Explored {
        self.explored.get_or_init(|| self.explore())
    }

    fn explore(&self) -> Explored {
        let mut layers = Layers::without(&implied(&self.policy.missing));
        let mut groups = None;
        if layers.has(Layer::Cgroup) {
            match Groups::find() {
                Ok(found) => groups = Some(found),
                Err(why) => layers.remove(Layer::Cgroup, why),
            }
        }
        let mut report = match self.probed(layers.clone(), groups.as_ref()) {
            Ok(layers) => Report::new(&self.policy, layers, self.helper),
            Err(why) => Report::new(&self.policy, layers, self.helper).unusable(why),
        };
        if groups.as_ref().is_some_and(|groups| !groups.limits_memory()) {
            report.gap(NO_MEMORY_CONTROLLER);
        }
        report.warn();
        Explored { report, groups }
    }

    /// The layers that can be built here and hold; or why no command can be started.
    fn probed(&self, layers: Layers, groups: Option<&Groups>) -> Result<Layers, String> {
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
        Scratch::sweep();
        let outside = Scratch::make("probe", &self.ground.changed()).map_err(|error| error.to_string())?;
        let found = probe::explore(layers, |layers| self.try_layers(layers, groups, &outside));
        found.map_err(|why| {
            let why = why.trim_end_matches('.');
            format!("Commands cannot run in the sandbox here: {why}.")
        })
    }

    /// Builds layers once and tries to break out of them.
    fn try_layers(&self, layers: &Layers, groups: Option<&Groups>, outside: &Scratch) -> Result<Try, String> {
        let agent = i32::try_from(std::process::id()).unwrap_or(0);
        let action = Action::Probe { agent, outside: wire::Bytes(outside.path().to_path_buf()) };
        let mut job = self
            .prepare(layers, groups, &Command::new("", PROBE_TIME), PROBE_TIME, |_, _| action)
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

    /// Runs a job to its end.
    pub(super) fn supervise(&self, job: &Job) -> io::Result<Outcome> {
        let spawner = self.spawner.as_ref().ok_or_else(|| io::Error::other(NOT_READY))?;
        supervise::run(job, spawner, &self.pool)
    }

    /// Makes a helper ready for a command like one that has ended; not for the first, which may be the only one.
    pub(super) fn prepare_next(&self, plan: &Plan) {
        let Some(spawner) = &self.spawner else { return };
        if self.commands.fetch_add(1, Ordering::Relaxed) == 0 {
            return;
        }
        let explored = self.explored();
        let start = || {
            let group = self.group(explored.report.layers(), explored.groups.as_ref())?;
            Helper::start(spawner, plan, self.workspace.opener().root(), group.map(Arc::new))
        };
        if let Err(error) = self.pool.refill(self.policy.limits.ready_commands, plan, start) {
            tracing::debug!(%error, "no sandbox could be made ready");
        }
    }

    /// Everything that a helper needs to run a command.
    pub(super) fn job(&self, command: &Command, timeout: Duration) -> Result<Job, ToolError> {
        let mut variables =
            env::passed(|name| std::env::var(name).ok(), &self.policy.env, self.policy.network)?;
        variables.extend(command.extra.clone());
        let argv = command.argv.clone();
        let explored = self.explored();
        let job = self.prepare(
            explored.report.layers(),
            explored.groups.as_ref(),
            command,
            timeout,
            |directory, private| {
                self.ground.set(&mut variables, directory, private);
                Action::Run { argv, env: variables.into_iter().collect() }
            },
        )?;
        let beyond = job.surroundings.iter().find_map(|(_, guarded)| guarded.beyond.first());
        match beyond {
            Some(path) if self.policy.mode == Mode::Enforce => Err(too_many(path)),
            _ => Ok(job),
        }
    }

    /// Everything that a helper needs for an action.
    fn prepare(
        &self,
        layers: &Layers,
        groups: Option<&Groups>,
        command: &Command,
        timeout: Duration,
        action: impl FnOnce(&Relative, Option<&Private>) -> Action,
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
            false => Some(Private::make(&self.ground.changed()).map_err(start_failed)?),
        };
        let limits = &self.policy.limits;
        let group = self.group(layers, groups).map_err(start_failed)?.map(Arc::new);
        let search = Search::new(&self.workspace, self.ground.root(), &relative, !layers.has(Layer::Mounts));
        let guarded = search.run();
        let plan = Plan {
            layers: layers.working().to_vec(),
            network: self.policy.network,
            view: self.ground.view(&self.workspace, &guarded, private.as_ref()),
            ceilings: self.ceilings(layers, groups),
        };
        let errand = Errand {
            directory: wire::Bytes(relative_path(&relative)),
            cpu_seconds: match limits.max_cpu_seconds {
                0 => timeout.as_secs().saturating_add(CPU_SLACK_SECONDS),
                seconds => seconds,
            },
            action: action(&relative, private.as_ref()),
        };
        let stream_bytes = limits.max_stream_bytes.min(limits.max_total_output_bytes);
        Ok(Job {
            plan,
            errand,
            root: rustix::io::fcntl_dupfd_cloexec(self.workspace.opener().root(), 0)
                .map_err(io::Error::from)
                .map_err(start_failed)?,
            directory: opened,
            group,
            private,
            surroundings: Some((search, guarded)),
            watch: None,
            timeout,
            stream_bytes: usize::try_from(stream_bytes).unwrap_or(usize::MAX),
            total_bytes: limits.max_total_output_bytes,
            grace: Duration::from_millis(limits.kill_grace_ms),
            workspace: self.workspace.clone(),
            cancel: Arc::new(Cancel::new().map_err(start_failed)?),
            follower: None,
            watched: None,
        })
    }

    fn group(&self, layers: &Layers, groups: Option<&Groups>) -> io::Result<Option<Group>> {
        let limits = &self.policy.limits;
        let groups = groups.filter(|groups| {
            // Beside a PID namespace a group that only ends processes would add nothing but time.
            let limits = groups.limits_memory() || groups.limits_processes();
            layers.has(Layer::Cgroup) && (limits || !layers.has(Layer::Pidns))
        });
        groups.map(|groups| groups.create(limits.max_memory_bytes, limits.max_processes)).transpose()
    }

    fn ceilings(&self, layers: &Layers, groups: Option<&Groups>) -> Ceilings {
        let limits = &self.policy.limits;
        let groups = groups.filter(|_| layers.has(Layer::Cgroup));
        let grouped = groups.is_some_and(Groups::limits_processes);
        let numbered = layers.has(Layer::PidMax) && limits.max_processes >= wire::LEAST_PID_MAX;
        // The helper sets no limit of the user's processes where one of these layers is there.
        let per_user = layers.has(Layer::Rlimits)
            && !(layers.has(Layer::PidMax) || layers.has(Layer::Cgroup))
            && !rustix::process::getuid().is_root();
        let limited = grouped || numbered || per_user;
        Ceilings {
            file_bytes: limits.max_file_bytes,
            memory_bytes: (!groups.is_some_and(Groups::limits_memory)).then_some(limits.max_memory_bytes),
            processes: limits.max_processes,
            open_files: limits.max_open_files,
            count: !limited,
        }
    }
}

/// What could lead git or a shell to more than can be looked at before and after a command.
fn too_many(path: &[u8]) -> ToolError {
    let shown = crate::workspace::shown(path);
    let text = format!("Commands cannot run in the sandbox here: {shown} leads to more than can be guarded.");
    let hint = "remove what is not needed there; an index that is split is read after \
                `git update-index --no-split-index`";
    ToolError::denied(text).code("sandbox_unavailable").hint(hint).effect(Effect::None)
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

fn relative_path(relative: &Relative) -> PathBuf {
    if relative.is_root() { PathBuf::new() } else { relative.as_path().to_path_buf() }
}
