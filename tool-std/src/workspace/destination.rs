//! The place that something is moved or copied to: a directory, opened and held, and a name in it (files.md §12).
//!
//! Unlike a [`Target`](super::Target) it may be the name of a directory, and what has the name may be anything.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, RenameFlags, fstat, fsync, renameat, renameat_with, statat};
use rustix::io::Errno;
use tool_core::ToolError;

use super::fault::{Faults, Operation};
use super::locate::Place;
use super::lock::Held;
use super::open::Handle;
use super::protect::Use;
use super::target::{Made, Parents};
use super::{Relative, Workspace, WorkspacePath, refusal};

/// A name before its directory is held; nothing has been made.
#[derive(Debug)]
pub(crate) struct Destination {
    given: String,
    directory: Handle,
    missing: Vec<Vec<u8>>,
    name: Vec<u8>,
    /// What has the name now, links followed.
    pub(crate) existing: Option<Handle>,
    /// Whether anything has the name that was given, a link that leads nowhere too.
    pub(crate) is_taken: bool,
    /// The path of the name, without links.
    pub(crate) relative: Relative,
}

/// A name in a directory that is held.
#[derive(Debug)]
pub(crate) struct HeldDestination {
    given: String,
    directory: Handle,
    name: Vec<u8>,
    replaces: bool,
    made: Option<Made>,
    faults: Faults,
    _held: Vec<Held>,
}

impl Workspace {
    /// Where something moved or copied to a path goes.
    ///
    /// # Errors
    /// Those of files.md §3 for paths.
    pub(crate) fn destination(&self, path: &WorkspacePath) -> Result<Destination, ToolError> {
        self.may_write()?;
        let given = path.given();
        self.permit_destination(given, path.relative())?;
        let located = self.located(path, Use::Write)?;
        let relative = located.relative();
        self.permit_destination(given, &relative)?;
        let is_taken = located.exists() || self.unfollowed(path, Use::Write).is_ok();
        let (directory, missing, name, existing) = match located.place {
            Place::Missing { directory, mut names } => {
                let Some(name) = names.pop() else { return Err(refusal::path_changed(given)) };
                (directory, names, name, None)
            }
            Place::Existing(handle) => {
                let (Some(parent), Some(name)) = (relative.parent(), relative.name()) else {
                    return Err(refusal::path_invalid(given, "it is the root of the workspace"));
                };
                (self.same_directory(given, &parent)?, Vec::new(), name.to_vec(), Some(handle))
            }
        };
        Ok(Destination { given: given.to_owned(), directory, missing, name, existing, is_taken, relative })
    }

    /// Refuses a name that something protected could come to lie below.
    fn permit_destination(&self, given: &str, path: &Relative) -> Result<(), ToolError> {
        match self.names().is_on_the_way(path) {
            true => Err(refusal::protected_path(given)),
            false => Ok(()),
        }
    }
}

impl Destination {
    /// The directory, or the one that its missing parents will lie in.
    pub(crate) fn directory(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    /// Directories that have to be made.
    pub(crate) fn missing(&self) -> u64 {
        self.missing.len() as u64
    }

    /// Makes missing parents and holds the directory, together with that of what is moved.
    ///
    /// # Errors
    /// `path_not_found` for missing parents that are required; `file_busy`.
    pub(crate) fn hold(
        self,
        workspace: &Workspace,
        parents: Parents,
        source: Option<&Handle>,
    ) -> Result<HeldDestination, ToolError> {
        let given = &self.given;
        if !self.missing.is_empty() && parents == Parents::Required {
            return Err(refusal::path_not_found(given));
        }
        let (directory, made) = workspace.make_directories(given, self.directory, &self.missing)?;
        let _held = workspace.hold_all(given, &[Some(&directory), source])?;
        Ok(HeldDestination {
            directory,
            name: self.name,
            replaces: self.existing.is_some(),
            made: Some(made),
            faults: workspace.faults(),
            _held,
            given: self.given,
        })
    }
}

impl Workspace {
    /// Holds directories, in one order for everybody, so that two moves never wait for each other.
    ///
    /// # Errors
    /// `file_busy` after five seconds; `cancelled`, `timeout`.
    pub(crate) fn hold_all(
        &self,
        given: &str,
        directories: &[Option<&Handle>],
    ) -> Result<Vec<Held>, ToolError> {
        let failed = |errno| refusal::system(given, errno);
        let mut opened = Vec::new();
        for directory in directories.iter().flatten() {
            let open = directory.directory().map_err(failed)?;
            let stat = fstat(&open).map_err(failed)?;
            opened.push(((stat.st_dev, stat.st_ino), open));
        }
        opened.sort_by_key(|(id, _)| *id);
        opened.dedup_by_key(|(id, _)| *id);
        opened.into_iter().map(|(id, open)| self.hold(given, open, id)).collect()
    }

    /// Makes the names of a directory durable.
    ///
    /// # Errors
    /// What the system refuses.
    pub(crate) fn sync_names(&self, given: &str, directory: &Handle) -> Result<(), ToolError> {
        sync(&self.faults(), given, directory)
    }
}

impl HeldDestination {
    /// The directories that were made for it, from the top.
    pub(crate) fn made(&self) -> Vec<Relative> {
        self.made.as_ref().map(Made::directories).unwrap_or_default()
    }

    /// The directory, for a temporary name beside the destination.
    ///
    /// # Errors
    /// What the system refuses.
    pub(crate) fn open_directory(&self) -> Result<OwnedFd, ToolError> {
        self.directory.directory().map_err(|errno| refusal::system(&self.given, errno))
    }

    /// Gives what is called `from` in `source` the name, at once; a name that was free must still be.
    ///
    /// # Errors
    /// `already_exists`, `directory_not_empty`, `cross_device`, and what the system refuses.
    pub(crate) fn rename_here(&mut self, source: BorrowedFd<'_>, from: &[u8]) -> Result<(), ToolError> {
        let (directory, to) = (self.directory.as_fd(), self.name.as_slice());
        let renamed = self.faults.before(Operation::Rename).and_then(|()| match self.replaces {
            true => renameat(source, from, directory, to),
            false => rename_to_free_name(source, from, directory, to),
        });
        renamed.map_err(|errno| refused(&self.given, errno))?;
        if let Some(made) = self.made.take() {
            made.keep();
        }
        sync(&self.faults, &self.given, &self.directory)
    }
}

/// Makes the names of a directory durable.
fn sync(faults: &Faults, given: &str, directory: &Handle) -> Result<(), ToolError> {
    let synced = faults.before(Operation::SyncDirectory).and_then(|()| directory.directory());
    synced.and_then(fsync).map_err(|errno| refusal::system(given, errno))
}

fn rename_to_free_name(
    source: BorrowedFd<'_>,
    from: &[u8],
    directory: BorrowedFd<'_>,
    to: &[u8],
) -> Result<(), Errno> {
    match renameat_with(source, from, directory, to, RenameFlags::NOREPLACE) {
        // A file system that does not know the flag.
        Err(Errno::INVAL | Errno::NOSYS) => match statat(directory, to, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => renameat(source, from, directory, to),
            Ok(_) => Err(Errno::EXIST),
            Err(errno) => Err(errno),
        },
        other => other,
    }
}

fn refused(given: &str, errno: Errno) -> ToolError {
    match errno {
        Errno::XDEV => refusal::cross_device(given),
        Errno::NOTEMPTY => refusal::directory_not_empty(given),
        errno => refusal::system(given, errno),
    }
}
