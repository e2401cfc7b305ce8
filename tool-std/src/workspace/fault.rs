//! Operations of the file tools that fail because somebody says so: tests of what is left behind then.
//!
//! Each operation is announced before it is done. Nobody listens to a workspace in use, and then announcing is one load.

use std::fmt;
use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;

use rustix::io::Errno;

/// An operation on the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// A name is followed to a file or directory.
    Open,
    /// Bytes are read.
    Read,
    /// A name is looked at once more.
    Look,
    /// A directory is held against other writers.
    Lock,
    /// A directory comes to be.
    MakeDirectory,
    /// A temporary file comes to be.
    Create,
    /// Bytes are written.
    Write,
    /// Owner, mode or times of a new file are set.
    SetMode,
    /// A file is made durable.
    Sync,
    /// A name comes to mean something else.
    Rename,
    /// The names of a directory are made durable.
    SyncDirectory,
    /// The end of a file is moved back.
    Truncate,
    /// A name goes.
    Remove,
}

/// How an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The device is full (`ENOSPC`).
    DiskFull,
    /// A write stops half way, and then the device is full.
    ShortWrite,
    /// It is not permitted (`EACCES`).
    Denied,
    /// What was there is gone (`ENOENT`).
    Vanished,
    /// The device does not work (`EIO`).
    Broken,
    /// The process ends: this operation is not done, nor any after it, not even to clean up.
    Stopped,
}

/// Decides which operations fail.
pub trait FileFaults: fmt::Debug + Send + Sync {
    /// How an operation fails that is about to be done; `None` lets it be done.
    fn before(&self, operation: Operation) -> Option<Fault>;
}

/// Who decides for one workspace, if anybody does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults(pub(super) Option<Arc<dyn FileFaults>>);

impl Faults {
    /// Announces an operation.
    ///
    /// # Errors
    /// What the system would answer, where it is to fail.
    pub(crate) fn before(&self, operation: Operation) -> Result<(), Errno> {
        match self.0.as_ref().and_then(|faults| faults.before(operation)) {
            None => Ok(()),
            Some(fault) => Err(errno(fault)),
        }
    }

    /// Whether something left over may be removed: what has been ended removes nothing.
    pub(crate) fn may_clean_up(&self) -> bool {
        self.before(Operation::Remove).is_ok()
    }

    /// As much of some bytes as a write takes: all of them, or half.
    ///
    /// # Errors
    /// What the system would answer, where the write is to fail.
    pub(crate) fn taken<'b>(&self, bytes: &'b [u8]) -> Result<&'b [u8], Errno> {
        match self.0.as_ref().and_then(|faults| faults.before(Operation::Write)) {
            None => Ok(bytes),
            Some(Fault::ShortWrite) => Ok(bytes.get(..bytes.len() / 2).unwrap_or_default()),
            Some(fault) => Err(errno(fault)),
        }
    }

    /// Writes all bytes.
    ///
    /// # Errors
    /// What the system refuses.
    pub(crate) fn write(&self, mut file: &File, bytes: &[u8]) -> std::io::Result<()> {
        let taken = self.taken(bytes)?;
        file.write_all(taken)?;
        if taken.len() < bytes.len() { Err(Errno::NOSPC.into()) } else { Ok(()) }
    }
}

fn errno(fault: Fault) -> Errno {
    match fault {
        Fault::DiskFull | Fault::ShortWrite => Errno::NOSPC,
        Fault::Denied => Errno::ACCESS,
        Fault::Vanished => Errno::NOENT,
        Fault::Broken => Errno::IO,
        Fault::Stopped => Errno::CANCELED,
    }
}
