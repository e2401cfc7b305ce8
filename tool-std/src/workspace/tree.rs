//! A directory with everything in it: measured, copied, removed. All by handles, never through a link.
//!
//! A tree is measured first, so that what stops it stops it before anything was changed (files.md §12).

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{
    Access, AtFlags, Dir, FileType, Mode, OFlags, accessat, fchmod, fstat, mkdirat, openat, readlinkat,
    statat, symlinkat, unlinkat,
};
use rustix::io::Errno;
use tool_core::ToolError;

use super::fault::{Faults, Operation};
use super::open::{MountId, mount_of};
use super::protect::Use;
use super::temporary::random_name;
use super::walk::{GitDirectories, WalkOptions};
use super::{Handle, Relative, Workspace, WorkspacePath, refusal};

/// What a tree is measured for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be read and made again elsewhere.
    Copy,
    /// To be gone.
    Delete,
}

/// What a tree holds, itself included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Measure {
    pub(crate) entries: u64,
    /// Bytes of its regular files.
    pub(crate) bytes: u64,
}

impl Workspace {
    /// Measures a directory and everything in it.
    ///
    /// # Errors
    /// `protected_path`, `too_many_entries`; for copying `not_regular_file`, `path_escape`, `file_too_large`; for
    /// deleting `cross_device`, `permission_denied`.
    pub(crate) fn measure_tree(
        &self,
        path: &WorkspacePath,
        root: &Handle,
        purpose: Purpose,
    ) -> Result<Measure, ToolError> {
        let given = path.given();
        let options = WalkOptions {
            hidden: true,
            git: GitDirectories::Descended,
            sees_everything: true,
            entries: Some(u64::MAX),
            ..WalkOptions::default()
        };
        let mut measure = Measure { entries: 1, bytes: 0 };
        // Protected names, and directories on the way to them, are neither copied nor deleted with a tree.
        self.permit_removal(given, root)?;
        let mut walk = self.walk(&path.beside(root.relative.clone()), options)?;
        while let Some(entry) = walk.advance()? {
            measure.entries += 1;
            if measure.entries > self.limits().tree_entries {
                return Err(refusal::too_many_entries(given, self.limits().tree_entries));
            }
            let relative = entry.relative.clone();
            let handle = self.child_now(given, entry.directory(), entry.name(), relative)?;
            self.permit_removal(given, &handle)?;
            match purpose {
                Purpose::Copy => self.permit_copy(path, entry.directory(), &handle)?,
                Purpose::Delete => permit_delete(given, root, entry.directory(), &handle)?,
            }
            if handle.kind() == FileType::RegularFile {
                measure.bytes = measure.bytes.saturating_add(handle.stat.st_size.cast_unsigned());
            }
            if purpose == Purpose::Copy {
                self.permit_bytes(measure.bytes)?;
            }
        }
        if walk.truncated().is_some() {
            return Err(refusal::too_many_entries(given, self.limits().tree_entries));
        }
        match walk.unreadable().first.first() {
            Some(_) => Err(refusal::permission_denied(given)),
            None => Ok(measure),
        }
    }

    /// The files of a tree are one copy, and bounded together.
    fn permit_bytes(&self, bytes: u64) -> Result<(), ToolError> {
        let limit = self.limits().copy_bytes;
        if bytes > limit { Err(refusal::file_too_large(bytes, limit)) } else { Ok(()) }
    }

    fn permit_copy(
        &self,
        path: &WorkspacePath,
        directory: BorrowedFd<'_>,
        entry: &Handle,
    ) -> Result<(), ToolError> {
        let given = path.given();
        match entry.kind() {
            FileType::Directory | FileType::RegularFile => Ok(()),
            FileType::Symlink => {
                self.locate(&path.beside(entry.relative.clone()))?;
                let name = entry.relative.name().unwrap_or_default();
                let target = readlinkat(directory, OsStr::from_bytes(name), Vec::new());
                target.map(drop).map_err(|errno| refusal::system(given, errno))
            }
            other => Err(refusal::not_regular_file(given, other)),
        }
    }
}

/// What is deleted lies on the mount of the tree, and its directories can be emptied.
fn permit_delete(
    given: &str,
    root: &Handle,
    directory: BorrowedFd<'_>,
    entry: &Handle,
) -> Result<(), ToolError> {
    let failed = |errno| refusal::system(given, errno);
    if mount_of(entry.as_fd()).map_err(failed)? != mount_of(root.as_fd()).map_err(failed)? {
        return Err(refusal::cross_device(given));
    }
    accessat(directory, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).map_err(failed)
}

/// Removes a directory and everything in it, as far as one mount goes.
pub(crate) fn remove(directory: BorrowedFd<'_>, name: &[u8]) -> Result<(), Errno> {
    remove_announced(&Faults::default(), directory, name)
}

fn remove_announced(faults: &Faults, directory: BorrowedFd<'_>, name: &[u8]) -> Result<(), Errno> {
    let mount = mount_of(directory)?;
    let mut open = vec![Emptying::enter(faults, directory, name, mount)?];
    while let Some(top) = open.last_mut() {
        if let Some(below) = top.directories.pop() {
            let next = Emptying::enter(faults, top.directory.as_fd(), &below, mount)?;
            open.push(next);
            continue;
        }
        let Some(done) = open.pop() else { break };
        let parent = open.last().map_or(directory, |above| above.directory.as_fd());
        faults.before(Operation::Remove)?;
        unlinkat(parent, done.name.as_slice(), AtFlags::REMOVEDIR)?;
    }
    Ok(())
}

/// A directory of which only directories are left.
struct Emptying {
    name: Vec<u8>,
    directory: OwnedFd,
    directories: Vec<Vec<u8>>,
}

impl Emptying {
    fn enter(faults: &Faults, parent: BorrowedFd<'_>, name: &[u8], mount: MountId) -> Result<Self, Errno> {
        let directory = open_directory(parent, name)?;
        if mount_of(directory.as_fd())? != mount {
            return Err(Errno::XDEV);
        }
        let mut directories = Vec::new();
        for name in names(&directory)? {
            faults.before(Operation::Remove)?;
            match unlinkat(&directory, name.as_slice(), AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(Errno::ISDIR | Errno::PERM) if is_directory(&directory, &name)? => directories.push(name),
                Err(errno) => return Err(errno),
            }
        }
        Ok(Self { name: name.to_vec(), directory, directories })
    }
}

fn is_directory(directory: &OwnedFd, name: &[u8]) -> Result<bool, Errno> {
    let stat = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
}

fn open_directory(parent: BorrowedFd<'_>, name: &[u8]) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(parent, name, flags, Mode::empty())
}

fn names(directory: &OwnedFd) -> Result<Vec<Vec<u8>>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") {
            names.push(name.to_vec());
        }
    }
    Ok(names)
}

/// A temporary name for a directory; it is removed with everything in it unless it has become something else.
#[derive(Debug)]
pub(crate) struct TemporaryTree<'d> {
    directory: BorrowedFd<'d>,
    name: String,
    is_kept: bool,
    faults: Faults,
}

impl<'d> TemporaryTree<'d> {
    /// A name that is free; nothing is made.
    pub(crate) fn name_in(faults: Faults, directory: BorrowedFd<'d>) -> Result<Self, Errno> {
        Ok(Self { directory, name: random_name()?, is_kept: false, faults })
    }

    /// The name.
    pub(crate) fn name(&self) -> &[u8] {
        self.name.as_bytes()
    }

    /// Removes what has the name.
    pub(crate) fn remove(mut self) -> Result<(), Errno> {
        self.is_kept = true;
        remove_announced(&self.faults, self.directory, self.name.as_bytes())
    }

    /// It has become something else.
    pub(crate) fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for TemporaryTree<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = remove_announced(&self.faults, self.directory, self.name.as_bytes());
        }
    }
}

/// Where a tree is copied from, for messages, and who is asked.
pub(crate) struct TreeCopy<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) from: &'a WorkspacePath,
}

/// A directory that is being copied.
struct Copying {
    source: OwnedFd,
    copy: OwnedFd,
    mode: u32,
    /// Where the copy will be.
    relative: Relative,
    directories: Vec<Vec<u8>>,
}

impl TreeCopy<'_> {
    /// Makes the directory `name` as a copy of `source`, which will be at `relative`.
    ///
    /// # Errors
    /// `path_escape` for a link that leads outside from its new place; what reading and writing refuse.
    pub(crate) fn run(
        &self,
        source: &Handle,
        directory: BorrowedFd<'_>,
        name: &[u8],
        relative: Relative,
    ) -> Result<Measure, ToolError> {
        let mut measure = Measure::default();
        let source = source.directory().map_err(|errno| self.failed(errno))?;
        let mut open = vec![self.enter(source, directory, name, relative, &mut measure)?];
        while let Some(top) = open.last_mut() {
            if let Some(below) = top.directories.pop() {
                let source =
                    open_directory(top.source.as_fd(), &below).map_err(|errno| self.failed(errno))?;
                let relative = top.relative.join(&below);
                let next = self.enter(source, top.copy.as_fd(), &below, relative, &mut measure)?;
                open.push(next);
                continue;
            }
            let Some(done) = open.pop() else { break };
            let mode = Mode::from_raw_mode(done.mode);
            self.announce(Operation::SetMode)?;
            fchmod(&done.copy, mode).map_err(|errno| self.failed(errno))?;
        }
        Ok(measure)
    }

    fn failed(&self, errno: Errno) -> ToolError {
        refusal::system(self.from.given(), errno)
    }

    fn announce(&self, operation: Operation) -> Result<(), ToolError> {
        self.workspace.faults().before(operation).map_err(|errno| self.failed(errno))
    }

    /// Makes a directory and copies everything into it but the directories.
    fn enter(
        &self,
        source: OwnedFd,
        parent: BorrowedFd<'_>,
        name: &[u8],
        relative: Relative,
        measure: &mut Measure,
    ) -> Result<Copying, ToolError> {
        let failed = |errno| refusal::system(self.from.given(), errno);
        let mode = fstat(&source).map_err(failed)?.st_mode & 0o7777;
        self.announce(Operation::MakeDirectory)?;
        mkdirat(parent, name, Mode::RWXU).map_err(failed)?;
        let copy = open_directory(parent, name).map_err(failed)?;
        measure.entries += 1;
        let mut copying = Copying { source, copy, mode, relative, directories: Vec::new() };
        for name in names(&copying.source).map_err(failed)? {
            self.workspace.check()?;
            self.entry(&mut copying, name, measure)?;
        }
        Ok(copying)
    }

    fn entry(&self, at: &mut Copying, name: Vec<u8>, measure: &mut Measure) -> Result<(), ToolError> {
        let given = self.from.given();
        let stat = statat(&at.source, name.as_slice(), AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|errno| self.failed(errno))?;
        let relative = at.relative.join(&name);
        self.workspace.permit(given, &relative, Use::Write)?;
        self.workspace.permit_by_policy(&relative)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => {
                at.directories.push(name);
                return Ok(());
            }
            FileType::Symlink => self.link(at, &name)?,
            _ => {
                measure.bytes = measure.bytes.saturating_add(self.file(at, &name)?);
                self.workspace.permit_bytes(measure.bytes)?;
            }
        }
        measure.entries += 1;
        match measure.entries > self.workspace.limits().tree_entries {
            true => Err(refusal::too_many_entries(given, self.workspace.limits().tree_entries)),
            false => Ok(()),
        }
    }

    fn link(&self, at: &Copying, name: &[u8]) -> Result<(), ToolError> {
        let target = readlinkat(&at.source, OsStr::from_bytes(name), Vec::new())
            .map_err(|errno| self.failed(errno))?;
        if !stays_inside(&at.relative, target.as_bytes()) {
            return Err(refusal::path_escape(self.from.given()));
        }
        self.announce(Operation::Create)?;
        symlinkat(target.as_c_str(), &at.copy, name).map_err(|errno| self.failed(errno))
    }

    fn file(&self, at: &Copying, name: &[u8]) -> Result<u64, ToolError> {
        let read = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let write = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let source = openat(&at.source, name, read, Mode::empty()).map_err(|errno| self.failed(errno))?;
        let stat = fstat(&source).map_err(|errno| self.failed(errno))?;
        self.announce(Operation::Create)?;
        let copy =
            openat(&at.copy, name, write, Mode::RUSR | Mode::WUSR).map_err(|errno| self.failed(errno))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {}
            other => return Err(refusal::not_regular_file(self.from.given(), other)),
        }
        self.workspace.copy_content(self.from.given(), source.into(), &stat, &copy.into())
    }
}

/// Whether a link in a directory leads to a place below the root by its text.
fn stays_inside(directory: &Relative, target: &[u8]) -> bool {
    let mut depth = directory.components().count();
    if target.starts_with(b"/") {
        return false;
    }
    for component in target.split(|byte| *byte == b'/') {
        match component {
            b"" | b"." => {}
            b".." => match depth.checked_sub(1) {
                Some(above) => depth = above,
                None => return false,
            },
            _ => depth += 1,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn a_link_stays_inside_as_long_as_it_does_not_climb_above_the_root() {
        let directory = Relative::from_components([&b"a"[..], b"b"]);
        for (target, stays) in
            [("x", true), ("../../x", true), ("../../../x", false), ("x/../../../..", false), ("/x", false)]
        {
            assert_eq!(stays_inside(&directory, target.as_bytes()), stays, "{target}");
        }
    }

    #[test]
    fn a_tree_is_removed_and_links_in_it_are_not_followed() {
        let dir = tool_trials::directory();
        std::fs::create_dir_all(dir.path().join("t/a/b")).unwrap();
        std::fs::write(dir.path().join("t/a/b/f"), "x").unwrap();
        std::fs::create_dir(dir.path().join("other")).unwrap();
        std::fs::write(dir.path().join("other/f"), "x").unwrap();
        std::os::unix::fs::symlink("../other", dir.path().join("t/l")).unwrap();
        let open = File::open(dir.path()).unwrap();
        remove(open.as_fd(), b"t").unwrap();
        assert!(!dir.path().join("t").exists());
        assert!(dir.path().join("other/f").exists());
    }
}
