//! Sandboxes kept ready: helpers that have built everything and wait for their command.
//!
//! To build one takes milliseconds, most of them the kernel's. A program that runs one command after the other has the next
//! one built meanwhile. One that is kept is used only if it is what would be built now: the same plan, the same files in the
//! same places, no other mounts.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};

use super::cgroup::Group;
use super::layers::Layer;
use super::spawn::{Ends, Spawner};
use super::wire::{Plan, send_with};

/// The table that changes with the mounts of this program.
const MOUNTS: &str = "/proc/self/mountinfo";

/// A helper that has its plan and waits for its errand.
#[derive(Debug)]
pub(super) struct Helper {
    pub(super) socket: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    pub(super) child: Child,
    pub(super) group: Option<Arc<Group>>,
}

impl Helper {
    /// Starts one and sends it its plan.
    pub(super) fn start(
        spawner: &Spawner,
        plan: &Plan,
        root: impl AsFd,
        group: Option<Arc<Group>>,
    ) -> io::Result<Self> {
        let (socket, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let (stdout, stdout_end) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stderr, stderr_end) = pipe_with(PipeFlags::CLOEXEC)?;
        for end in [&stdout, &stderr] {
            fcntl_setfl(end, OFlags::NONBLOCK)?;
        }
        let child = spawner.spawn(Ends { socket: theirs, stdout: stdout_end, stderr: stderr_end })?;
        let mut helper = Self { socket, stdout, stderr, child, group };
        match helper.instruct(plan, root) {
            Ok(()) => Ok(helper),
            Err(error) => {
                helper.end();
                Err(error)
            }
        }
    }

    fn instruct(&self, plan: &Plan, root: impl AsFd) -> io::Result<()> {
        if let Some(group) = &self.group {
            group.add(self.child.id())?;
        }
        Ok(send_with(self.socket.as_fd(), plan, root.as_fd())?)
    }

    /// Ends it before it has run anything.
    pub(super) fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a place was when a helper was started: device and number.
type Identities = Vec<Option<(u64, u64)>>;

#[derive(Debug)]
struct Kept {
    plan: Plan,
    identities: Identities,
    mounts: File,
    helper: Helper,
}

impl Kept {
    /// What a place is and where it is mounted is looked at first: what changes meanwhile is noticed when it is taken.
    fn start(plan: &Plan, start: impl FnOnce() -> io::Result<Helper>) -> io::Result<Self> {
        let mounts = File::open(MOUNTS)?;
        let identities = identities(plan);
        Ok(Self { plan: plan.clone(), identities, mounts, helper: start()? })
    }

    /// Whether it is what would be built now.
    fn is_fresh(&self, plan: &Plan, identities: &Identities) -> bool {
        self.plan == *plan && self.identities == *identities && !is_changed(&self.mounts)
    }
}

/// The helpers of one sandbox that are ready.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Shelf>);

#[derive(Debug, Default)]
struct Shelf {
    kept: Vec<Kept>,
    /// How many are on their way: commands that end together must not each add one.
    starting: u64,
}

impl Pool {
    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A helper for a plan, if one is ready.
    pub(super) fn take(&self, plan: &Plan, spawner: &Spawner) -> Option<Helper> {
        let mut shelf = self.shelf();
        if shelf.kept.is_empty() {
            return None;
        }
        let identities = identities(plan);
        while let Some(candidate) = shelf.kept.pop() {
            if candidate.is_fresh(plan, &identities) {
                return Some(candidate.helper);
            }
            spawner.discard(candidate.helper);
        }
        None
    }

    /// Makes one more helper ready, unless there are so many.
    pub(super) fn refill(
        &self,
        most: u64,
        plan: &Plan,
        start: impl FnOnce() -> io::Result<Helper>,
    ) -> io::Result<()> {
        // Without the namespaces a helper would be seen by others, and could not be left alone.
        if !plan.has(Layer::Mounts) || !plan.has(Layer::Pidns) {
            return Ok(());
        }
        {
            let mut shelf = self.shelf();
            if shelf.kept.len() as u64 + shelf.starting >= most {
                return Ok(());
            }
            shelf.starting += 1;
        }
        let ready = Kept::start(plan, start);
        let mut shelf = self.shelf();
        shelf.starting -= 1;
        shelf.kept.push(ready?);
        Ok(())
    }

    /// Ends those that wait.
    pub(super) fn close(&self, spawner: &Spawner) {
        let kept = std::mem::take(&mut self.shelf().kept);
        kept.into_iter().for_each(|kept| spawner.discard(kept.helper));
    }
}

/// What every place of a plan is now.
fn identities(plan: &Plan) -> Identities {
    let view = &plan.view;
    let lists = [&view.read, &view.write, &view.toolchains, &view.held, &view.covered, &view.frozen];
    let places = lists.into_iter().flatten().chain([&view.root]).chain(&view.home);
    places.map(|place| place.symlink_metadata().ok().map(|found| (found.dev(), found.ino()))).collect()
}

/// Whether the mounts of this program are others than when the table was opened.
fn is_changed(table: &File) -> bool {
    let mut ready = [PollFd::new(table, PollFlags::PRI)];
    !matches!(poll(&mut ready, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })), Ok(0))
}
