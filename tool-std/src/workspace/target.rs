//! A file that is about to be written: its directory, opened and held, and what is there under its name now
//! (sandbox.md §2 rule 5).
//!
//! The name is looked up again once the directory is held, and everything that was decided about it is decided again.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{AtFlags, FileType, Mode, fstat, fsync, mkdirat, statat, unlinkat};
use rustix::io::Errno;
use tool_core::ToolError;

use super::fault::{Faults, Operation};
use super::locate::Place;
use super::lock::Held;
use super::open::{Handle, Refused};
use super::protect::Use;
use super::{Relative, Workspace, WorkspacePath, refusal};

/// What happens to directories that do not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parents {
    /// They are made.
    Made,
    /// They are an error.
    Required,
}

/// What happens to a name that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The file is used; a link is followed.
    Used,
    /// It is an error, whatever has the name.
    Refused,
}

/// A name in a held directory and the regular file that has it, if one does.
#[derive(Debug)]
pub(crate) struct Target {
    directory: Handle,
    /// The last component, without links.
    pub(crate) name: Vec<u8>,
    /// What is there.
    pub(crate) existing: Option<Handle>,
    /// Entries that writing it adds.
    pub(crate) new_entries: u64,
    made: Made,
    _held: Held,
}

impl Target {
    /// The directories that were made for it, from the top.
    pub(crate) fn made(&self) -> Vec<Relative> {
        self.made.directories()
    }

    /// The directory.
    pub(crate) fn directory(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    /// The path of the name, without links.
    pub(crate) fn relative(&self) -> Relative {
        self.directory.relative.join(&self.name)
    }
}

/// Directories made on the way, from the top; they go again unless something was written into them.
#[derive(Debug)]
pub(crate) struct Made {
    directories: Vec<(Handle, Vec<u8>)>,
    faults: Faults,
}

impl Made {
    pub(crate) fn directories(&self) -> Vec<Relative> {
        self.directories.iter().map(|(parent, name)| parent.relative.join(name)).collect()
    }

    /// They stay, empty or not.
    pub(crate) fn keep(mut self) {
        self.directories.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for (parent, name) in self.directories.iter().rev() {
            // Fails where something is inside, which is the wish.
            if self.faults.may_clean_up() {
                let _ = unlinkat(parent, name.as_slice(), AtFlags::REMOVEDIR);
            }
        }
    }
}

/// The directory of a target before it is held.
struct Slot {
    directory: Handle,
    missing: Vec<Vec<u8>>,
    name: Vec<u8>,
    exists: bool,
}

impl Workspace {
    /// Finds the file that writing to a path writes, and holds its directory. `before` is asked before any directory
    /// is made, with whether the file exists.
    ///
    /// # Errors
    /// Those of files.md §3 for paths; `effect_not_declared`.
    pub(crate) fn target(
        &self,
        path: &WorkspacePath,
        parents: Parents,
        taken: Taken,
        before: impl FnOnce(bool, BorrowedFd<'_>, u64) -> Result<(), ToolError>,
    ) -> Result<Target, ToolError> {
        self.may_write()?;
        let slot = self.slot(path, taken)?;
        if !slot.missing.is_empty() && parents == Parents::Required {
            return Err(refusal::path_not_found(path.given()));
        }
        let new_entries = slot.missing.len() as u64 + u64::from(!slot.exists);
        before(slot.exists, slot.directory.as_fd(), new_entries)?;
        let given = path.given();
        let (directory, made) = self.make_directories(given, slot.directory, &slot.missing)?;
        let lock = directory.directory().map_err(|errno| refusal::system(given, errno))?;
        let stat = fstat(&lock).map_err(|errno| refusal::system(given, errno))?;
        let held = self.hold(given, lock, (stat.st_dev, stat.st_ino))?;
        let existing = self.named_file(given, &directory, &slot.name)?;
        if existing.is_some() && taken == Taken::Refused {
            return Err(refusal::already_exists(given));
        }
        Ok(Target { directory, name: slot.name, existing, new_entries, made, _held: held })
    }

    /// Where the last name of a path lies, links followed.
    fn slot(&self, path: &WorkspacePath, taken: Taken) -> Result<Slot, ToolError> {
        let given = path.given();
        let located = self.located(path, Use::Write)?;
        let full = located.relative();
        match located.place {
            Place::Existing(_) if taken == Taken::Refused => Err(refusal::already_exists(given)),
            Place::Existing(handle) => {
                regular(path, &handle)?;
                let (Some(parent), Some(name)) = (full.parent(), full.name()) else {
                    return Err(refusal::is_a_directory(given));
                };
                let directory = self.same_directory(given, &parent)?;
                Ok(Slot { directory, missing: Vec::new(), name: name.to_vec(), exists: true })
            }
            Place::Missing { .. } if path.names_directory() => {
                Err(refusal::path_invalid(given, "it names a directory and nothing is there"))
            }
            Place::Missing { .. } if taken == Taken::Refused && self.is_link(path) => {
                Err(refusal::already_exists(given))
            }
            Place::Missing { directory, mut names } => {
                let Some(name) = names.pop() else { return Err(refusal::path_changed(given)) };
                Ok(Slot { directory, missing: names, name, exists: false })
            }
        }
    }

    /// The directory that has a path without links, by that path.
    pub(crate) fn same_directory(&self, given: &str, path: &Relative) -> Result<Handle, ToolError> {
        match self.opener().handle(path.as_path()) {
            Ok(handle) if handle.relative == *path => Ok(handle),
            Ok(_) => Err(refusal::path_changed(given)),
            Err(refused) => Err(as_error(given, refused)),
        }
    }

    /// Whether the last name of a path is itself a link; nothing is behind it, or it would exist.
    fn is_link(&self, path: &WorkspacePath) -> bool {
        let relative = path.relative();
        let (Some(parent), Some(name)) = (relative.parent(), relative.name()) else { return false };
        self.opener()
            .handle(parent.as_path())
            .is_ok_and(|directory| statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW).is_ok())
    }

    /// Makes the missing directories, each beneath the one before and never through a link, and each of their names durable.
    pub(crate) fn make_directories(
        &self,
        given: &str,
        base: Handle,
        missing: &[Vec<u8>],
    ) -> Result<(Handle, Made), ToolError> {
        let faults = self.faults();
        let mut made = Made { directories: Vec::new(), faults: faults.clone() };
        let mut directory = base;
        for name in missing {
            self.check()?;
            let make = |()| mkdirat(&directory, name.as_slice(), Mode::from_raw_mode(0o777));
            let is_new = match faults.before(Operation::MakeDirectory).and_then(make) {
                Ok(()) => true,
                Err(Errno::EXIST) => false,
                Err(errno) => return Err(refusal::system(given, errno)),
            };
            let relative = directory.relative.join(name);
            let child = self
                .opener()
                .child(directory.as_fd(), name, relative)
                .map_err(|refused| as_error(given, refused))
                .inspect_err(|_| remove_again(&faults, &directory, name, is_new))?;
            if FileType::from_raw_mode(child.stat.st_mode) != FileType::Directory {
                return Err(refusal::not_a_directory(given));
            }
            let parent = std::mem::replace(&mut directory, child);
            if is_new {
                let open = parent.directory();
                made.directories.push((parent, name.clone()));
                let synced = faults.before(Operation::SyncDirectory).and(open).and_then(fsync);
                synced.map_err(|errno| refusal::system(given, errno))?;
            }
        }
        Ok((directory, made))
    }

    /// The regular file that has a name now, checked for writing.
    pub(crate) fn named_file(
        &self,
        given: &str,
        directory: &Handle,
        name: &[u8],
    ) -> Result<Option<Handle>, ToolError> {
        let relative = directory.relative.join(name);
        self.permit(given, &relative, Use::Write)?;
        self.permit_by_policy(&relative)?;
        let handle = match self.opener().child(directory.as_fd(), name, relative) {
            Ok(handle) => handle,
            Err(Refused::System(Errno::NOENT)) => return Ok(None),
            Err(refused) => return Err(as_error(given, refused)),
        };
        match FileType::from_raw_mode(handle.stat.st_mode) {
            FileType::RegularFile => {}
            FileType::Directory => return Err(refusal::is_a_directory(given)),
            FileType::Symlink => return Err(refusal::path_changed(given)),
            other => return Err(refusal::not_regular_file(given, other)),
        }
        self.permit_handle(given, &handle, Use::Write)?;
        if handle.stat.st_mode & 0o222 == 0 {
            return Err(refusal::permission_denied(given));
        }
        Ok(Some(handle))
    }

    /// What the held name means now: for a last look before a rename.
    pub(crate) fn is_unchanged(&self, target: &Target) -> bool {
        let now = statat(target.directory(), target.name.as_slice(), AtFlags::SYMLINK_NOFOLLOW);
        match (&target.existing, now) {
            (Some(file), Ok(now)) => (now.st_dev, now.st_ino) == (file.stat.st_dev, file.stat.st_ino),
            (None, Err(Errno::NOENT)) => true,
            _ => false,
        }
    }
}

/// Takes away a directory that was made a moment ago and cannot be used.
fn remove_again(faults: &Faults, directory: &Handle, name: &[u8], is_new: bool) {
    if is_new && faults.may_clean_up() {
        let _ = unlinkat(directory, name, AtFlags::REMOVEDIR);
    }
}

fn regular(path: &WorkspacePath, handle: &Handle) -> Result<(), ToolError> {
    let given = path.given();
    match FileType::from_raw_mode(handle.stat.st_mode) {
        FileType::RegularFile if path.names_directory() => Err(refusal::not_a_directory(given)),
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(refusal::is_a_directory(given)),
        other => Err(refusal::not_regular_file(given, other)),
    }
}

pub(crate) fn as_error(given: &str, refused: Refused) -> ToolError {
    match refused {
        Refused::Mount => refusal::mount_refused(given),
        Refused::System(errno) => refusal::system(given, errno),
    }
}
