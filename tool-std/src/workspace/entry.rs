//! What a walk meets: a name below an open directory. Whatever is asked of it goes through that handle, so that nobody who
//! renames directories meanwhile leads out of the root.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Stat, readlinkat, statat};
use rustix::io::Errno;
use tool_core::ToolError;

use super::open::{Handle, Refused};
use super::path::Relative;
use super::protect::Use;
use super::target::as_error;
use super::{Workspace, refusal};

/// Something that a walk met.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its path from the root.
    pub relative: Relative,
    /// Its type; a link is a link.
    pub kind: FileType,
    /// Levels below the start, from 1.
    pub depth: u64,
    pub(super) directory: Arc<OwnedFd>,
    pub(super) start: Arc<Start>,
}

/// Where a walk begins: the directory without links, and as the caller named it.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) real: Relative,
    pub(super) named: Relative,
}

impl Entry {
    /// Its name.
    pub fn name(&self) -> &[u8] {
        self.relative.name().unwrap_or_default()
    }

    /// Its path below the start, in bytes.
    pub fn below_start(&self) -> &[u8] {
        let path = self.relative.as_bytes();
        match self.start.real.as_bytes().len() {
            0 => path,
            start => path.get(start + 1..).unwrap_or_default(),
        }
    }

    /// Its path for results: the start as the caller named it, and what is below.
    pub fn shown(&self) -> String {
        if self.start.real == self.start.named {
            return self.relative.shown();
        }
        let mut path = self.start.named.clone();
        path.push(self.below_start());
        path.shown()
    }

    /// The directory that holds it.
    pub(crate) fn directory(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    fn name_path(&self) -> &Path {
        Path::new(std::ffi::OsStr::from_bytes(self.name()))
    }

    /// Size, times and identity of the entry itself.
    pub(crate) fn stat(&self) -> Result<Stat, Errno> {
        statat(&*self.directory, self.name_path(), AtFlags::SYMLINK_NOFOLLOW)
    }

    /// The text of a link.
    pub(crate) fn target(&self) -> Option<Vec<u8>> {
        let target = readlinkat(&*self.directory, self.name_path(), Vec::new()).ok()?;
        Some(target.into_bytes())
    }
}

impl Workspace {
    /// The handle of an entry that is a regular file and may be read.
    pub(crate) fn entry_file(&self, entry: &Entry) -> Result<Handle, ToolError> {
        let shown = entry.shown();
        self.announce_open(&shown)?;
        let directory = entry.directory.as_fd();
        let opened = match self.opener().plain_child(directory, entry.name_path(), &entry.relative) {
            Some(handle) => Ok(handle),
            None => self.opener().child(directory, entry.name(), entry.relative.clone()),
        };
        self.readable(&shown, opened)
    }

    /// The same by the path that an entry had: a link on the way there now is not followed.
    pub(crate) fn file_at(&self, shown: &str, path: &Relative) -> Result<Handle, ToolError> {
        self.announce_open(shown)?;
        if let Some(handle) = self.opener().plain(path) {
            return self.readable(shown, Ok(handle));
        }
        let opened = self.opener().handle(path.as_path()).and_then(|handle| {
            let is_same = handle.relative == *path;
            is_same.then_some(handle).ok_or(Refused::System(Errno::AGAIN))
        });
        self.readable(shown, opened)
    }

    fn readable(&self, shown: &str, opened: Result<Handle, Refused>) -> Result<Handle, ToolError> {
        let handle = opened.map_err(|refused| as_error(shown, refused))?;
        self.permit(shown, &handle.relative, Use::Read)?;
        match FileType::from_raw_mode(handle.stat.st_mode) {
            FileType::RegularFile => {}
            other => return Err(refusal::not_regular_file(shown, other)),
        }
        self.permit_handle(shown, &handle, Use::Read)?;
        Ok(handle)
    }
}
