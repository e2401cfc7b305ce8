//! Starting helpers: by one thread that lives as long as the sandbox, since the parent-death signal follows the thread.
//!
//! `std::process::Command` without hooks is a `posix_spawn`, so a spawn does not grow with the program's memory. The end of
//! a helper that has told everything is waited for by a thread of its own: the kernel takes its time over the mounts.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use super::cgroup::Group;
use super::ready::Helper;
use super::wire::{HELPER_NAME, VERSION};

/// The program itself.
const SELF: &str = "/proc/self/exe";

/// Starts helpers.
#[derive(Debug)]
pub(super) struct Spawner {
    program: PathBuf,
    jobs: Sender<Job>,
    ended: Sender<Remains>,
}

/// What is left of a command that has ended: its helper, and the group that cannot be removed before the helper is gone.
pub(super) type Remains = (Child, Option<Arc<Group>>);

/// What a helper gets as its descriptors 0, 1 and 2.
pub(super) struct Ends {
    pub(super) socket: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

struct Job {
    command: Command,
    reply: SyncSender<io::Result<Child>>,
}

impl Spawner {
    /// Starts the thread; `None` for the program means the program itself.
    pub(super) fn new(program: Option<&Path>) -> io::Result<Self> {
        let (jobs, queue) = channel();
        thread::Builder::new().name("sandbox-spawner".to_owned()).spawn(move || serve(&queue))?;
        let (ended, remains) = channel();
        thread::Builder::new().name("sandbox-reaper".to_owned()).spawn(move || reap(&remains))?;
        Ok(Self { program: program.unwrap_or(Path::new(SELF)).to_path_buf(), jobs, ended })
    }

    /// Whether helpers are another program.
    pub(super) fn is_other_program(&self) -> bool {
        self.program != Path::new(SELF)
    }

    /// Takes the end of a helper off the hands of whoever waits for its command.
    pub(super) fn bury(&self, remains: Remains) {
        let _ = self.ended.send(remains);
    }

    /// Ends a helper that nobody needs, without waiting for it: it ends when its socket is closed.
    pub(super) fn discard(&self, helper: Helper) {
        let Helper { child, group, .. } = helper;
        self.bury((child, group));
    }

    /// Starts a helper with an empty environment.
    pub(super) fn spawn(&self, ends: Ends) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command
            .arg0(HELPER_NAME)
            .arg(VERSION)
            .env_clear()
            .stdin(Stdio::from(ends.socket))
            .stdout(Stdio::from(ends.stdout))
            .stderr(Stdio::from(ends.stderr));
        let (reply, answer) = sync_channel(1);
        let gone = || io::Error::other("the spawner has ended");
        self.jobs.send(Job { command, reply }).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())?
    }
}

fn reap(ended: &Receiver<Remains>) {
    for (mut child, group) in ended {
        let _ = child.wait();
        drop(group);
    }
}

fn serve(queue: &Receiver<Job>) {
    for mut job in queue {
        let child = job.command.spawn();
        // The ends of the pipes are closed here before anybody waits for their other ends to close.
        drop(job.command);
        let _ = job.reply.send(child);
    }
}
