//! Writers of one directory take turns: in this process by a lock, between processes by `flock` on the directory
//! (files.md §4).

use std::collections::HashSet;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use tool_core::ToolError;

use super::fault::Operation;
use super::{Workspace, refusal};

/// How long a writer waits for the others.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it waits before it looks again at its call, and at a lock of another process.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Device and inode of a directory.
pub(crate) type DirectoryId = (u64, u64);

/// The directories that writers of this process hold.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    held: Mutex<HashSet<DirectoryId>>,
    freed: Condvar,
}

impl Locks {
    fn held(&self) -> MutexGuard<'_, HashSet<DirectoryId>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A directory that is held until this is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    locks: Arc<Locks>,
    id: DirectoryId,
    /// The lock between processes ends when this is closed.
    directory: OwnedFd,
}

impl Drop for Held {
    fn drop(&mut self) {
        // Before the others of this process wake up.
        let _ = flock(&self.directory, FlockOperation::Unlock);
        self.locks.held().remove(&self.id);
        self.locks.freed.notify_all();
    }
}

impl Workspace {
    /// Waits for a directory; `directory` is open for reading and used for nothing else.
    ///
    /// # Errors
    /// `file_busy` after five seconds; `cancelled`, `timeout`.
    pub(crate) fn hold(&self, given: &str, directory: OwnedFd, id: DirectoryId) -> Result<Held, ToolError> {
        self.faults().before(Operation::Lock).map_err(|errno| refusal::system(given, errno))?;
        let end = Instant::now() + PATIENCE;
        let locks = self.locks();
        let mut held = locks.held();
        while held.contains(&id) {
            self.patience(given, end)?;
            held = locks.freed.wait_timeout(held, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        }
        held.insert(id);
        drop(held);
        let mine = Held { locks: Arc::clone(locks), id, directory };
        loop {
            match flock(&mine.directory, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(mine),
                Err(Errno::WOULDBLOCK | Errno::INTR) => {
                    self.patience(given, end)?;
                    std::thread::sleep(LOOK_EVERY);
                }
                // A file system without locks: this process alone is serialised.
                Err(Errno::NOLCK | Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => return Ok(mine),
                Err(errno) => return Err(refusal::system(given, errno)),
            }
        }
    }

    fn patience(&self, given: &str, end: Instant) -> Result<(), ToolError> {
        self.check()?;
        if Instant::now() < end { Ok(()) } else { Err(refusal::file_busy(given)) }
    }
}
