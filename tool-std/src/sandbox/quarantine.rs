//! Where protected names go that a command made or replaced (sandbox.md §3).
//!
//! Everything is done through handles on directories, opened without following links, so that a link put in the way leads
//! nowhere.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt as _, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, chmodat, openat, renameat, statat};
use rustix::io::Errno;

use super::kept::Kept;
use crate::workspace::{Relative, Workspace, random_name};

/// What the owner of a directory needs to move what is in it.
const OWNERS: u32 = 0o700;

/// The quarantine of one command.
#[derive(Debug)]
pub(super) struct Quarantine<'a> {
    workspace: &'a Workspace,
    root: &'a Path,
    wanted: &'a Path,
    /// Made when the first thing is moved.
    place: Option<PathBuf>,
}

impl<'a> Quarantine<'a> {
    pub(super) fn new(workspace: &'a Workspace, root: &'a Path, wanted: &'a Path) -> Self {
        Self { workspace, root, wanted, place: None }
    }

    /// Moves one name away; whether it was there.
    pub(super) fn take(&mut self, path: &Relative) -> io::Result<bool> {
        let (Some(name), Some(parent)) = (path.name(), path.parent()) else { return Ok(false) };
        let name = OsStr::from_bytes(name);
        let target = self.target(path)?;
        let parent = self.open(&parent)?;
        let parent = parent.as_fd();
        let moved = match renameat(parent, name, CWD, &target) {
            // A directory that may not be written cannot be moved, and nothing can be moved out of it.
            Err(Errno::ACCESS | Errno::PERM) => {
                loosen(parent, OsStr::new("."));
                loosen(parent, name);
                renameat(parent, name, CWD, &target)
            }
            outcome => outcome,
        };
        match moved {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            // On another file system; what cannot be copied, or cannot be moved at all, at least loses its name.
            Err(_) => {
                let source = self.root.join(path.as_path());
                copy(&source, &target)
                    .and_then(|()| remove(&source))
                    .or_else(|_| rename_aside(parent, name))?;
                Ok(true)
            }
        }
    }

    /// Puts a file back that is not there any more.
    pub(super) fn put_back(&self, path: &Relative, kept: &Kept) -> io::Result<()> {
        let (Some(name), Some(parent)) = (path.name(), path.parent()) else { return Ok(()) };
        kept.put_back(self.open(&parent)?.as_fd(), Path::new(OsStr::from_bytes(name)))
    }

    /// A directory of the workspace, component by component, without following links.
    fn open(&self, directory: &Relative) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut reached = openat(self.workspace.opener().root(), ".", flags, Mode::empty())?;
        for name in directory.components() {
            reached = openat(&reached, OsStr::from_bytes(name), flags, Mode::empty())?;
        }
        Ok(reached)
    }

    /// A free name for what is moved: nothing that was moved before is replaced.
    fn target(&mut self, path: &Relative) -> io::Result<PathBuf> {
        let place = match &self.place {
            Some(place) => place,
            None => self.place.insert(place(self.wanted)?),
        };
        let usual = place.join(path.as_path());
        let target = match usual.symlink_metadata() {
            Ok(_) => place.join(format!("again{}", random_name()?)).join(path.as_path()),
            Err(_) => usual,
        };
        fs::create_dir_all(target.parent().unwrap_or(place))?;
        Ok(target)
    }
}

/// The state directory, or where none can be made, a new directory among temporary files.
fn place(wanted: &Path) -> io::Result<PathBuf> {
    if fs::create_dir_all(wanted).is_ok() {
        return Ok(wanted.to_path_buf());
    }
    let random = random_name()?;
    let place = std::env::temp_dir().join(format!("toolbox-quarantine{random}"));
    fs::DirBuilder::new().mode(OWNERS).create(&place)?;
    Ok(place)
}

/// Gives the owner of a directory the right to change it, if this is the owner.
fn loosen(parent: BorrowedFd<'_>, name: &OsStr) {
    let Ok(found) = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) else { return };
    if FileType::from_raw_mode(found.st_mode).is_dir() {
        let mode = Mode::from_raw_mode(found.st_mode | OWNERS);
        let _ = chmodat(parent, name, mode, AtFlags::empty());
    }
}

/// Gives something a name in the same directory that nobody looks for.
fn rename_aside(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
    let mut aside = OsString::from(name);
    aside.push(format!(".quarantined{}", random_name()?));
    Ok(renameat(parent, name, parent, &aside)?)
}

/// Copies a file, a link or a directory to another file system; anything else leaves an empty file.
fn copy(source: &Path, target: &Path) -> io::Result<()> {
    let metadata = source.symlink_metadata()?;
    if metadata.is_symlink() {
        return symlink(fs::read_link(source)?, target);
    }
    if metadata.is_dir() {
        fs::create_dir_all(target)?;
        return fs::read_dir(source)?.try_for_each(|entry| {
            let entry = entry?;
            copy(&entry.path(), &target.join(entry.file_name()))
        });
    }
    if metadata.is_file() { fs::copy(source, target).map(drop) } else { fs::write(target, "") }
}

fn remove(path: &Path) -> io::Result<()> {
    if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}
