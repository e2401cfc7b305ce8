//! A guarded file or link as it was before a command, kept so that it can be put back (sandbox.md §3).

use std::fs::{self, File, Metadata};
use std::io;
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, Mode, OFlags, RenameFlags, Timespec, Timestamps, fchmod, fchown, futimens, openat,
    renameat_with, symlinkat, unlinkat,
};
use rustix::process::{Gid, Uid};

use crate::workspace::random_name;

/// Bytes of the largest file that is read or kept.
pub(super) const MOST_BYTES: u64 = 1_048_576;
/// Permission bits, of which those of other users may be missing.
const PERMISSIONS: u32 = 0o7777;

/// What is kept.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    content: Content,
    metadata: Metadata,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    File(Vec<u8>),
    Link(PathBuf),
}

impl Kept {
    /// What is at a path, unless it is large, not to be read, or neither file nor link.
    pub(super) fn of(path: &Path, metadata: &Metadata) -> Option<Self> {
        let content = match metadata.is_symlink() {
            true => Content::Link(fs::read_link(path).ok()?),
            false => Content::File(read(path)?),
        };
        Some(Self { content, metadata: metadata.clone() })
    }

    /// The text of a file.
    pub(super) fn text(&self) -> Option<&[u8]> {
        match &self.content {
            Content::File(text) => Some(text),
            Content::Link(_) => None,
        }
    }

    /// How much memory it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.text().map_or(0, |text| text.len() as u64)
    }

    /// Whether the other is the same to whoever reads or runs it.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.content == other.content && self.metadata.mode() == other.metadata.mode()
    }

    /// Makes it anew under a name that is free.
    pub(super) fn put_back(&self, parent: BorrowedFd<'_>, name: &Path) -> io::Result<()> {
        let text = match &self.content {
            Content::Link(target) => return Ok(symlinkat(target, parent, name)?),
            Content::File(text) => text,
        };
        let draft = PathBuf::from(random_name()?);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(parent, &draft, flags, Mode::from_raw_mode(0o600))?);
        let written = file.write_all(text).and_then(|()| {
            self.restore_attributes(file.as_fd())?;
            Ok(renameat_with(parent, &draft, parent, name, RenameFlags::NOREPLACE)?)
        });
        if written.is_err() {
            let _ = unlinkat(parent, &draft, AtFlags::empty());
        }
        written
    }

    fn restore_attributes(&self, file: BorrowedFd<'_>) -> io::Result<()> {
        let was = &self.metadata;
        // Only root gives files away; before the mode, which it would change.
        let _ = fchown(file, Some(Uid::from_raw(was.uid())), Some(Gid::from_raw(was.gid())));
        fchmod(file, Mode::from_raw_mode(was.mode() & PERMISSIONS))?;
        let modified = Timespec { tv_sec: was.mtime(), tv_nsec: was.mtime_nsec() };
        let accessed = Timespec { tv_sec: was.atime(), tv_nsec: was.atime_nsec() };
        futimens(file, &Timestamps { last_access: accessed, last_modification: modified })?;
        Ok(())
    }
}

/// The bytes of a file of a usual size that is no link.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
    read_opened(fs::OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?)
}

/// The same of what a link leads to.
pub(super) fn read_through(path: &Path) -> Option<Vec<u8>> {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    read_opened(fs::OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?)
}

fn read_opened(file: File) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    file.take(MOST_BYTES + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 <= MOST_BYTES).then_some(text)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn kept(path: &Path) -> Kept {
        Kept::of(path, &path.symlink_metadata().unwrap()).unwrap()
    }

    #[test]
    fn what_was_kept_comes_back_with_its_mode_and_times_and_over_nothing_else() {
        let directory = tool_trials::directory();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        fs::write(&file, "mine").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o751)).unwrap();
        symlink("somewhere", &link).unwrap();
        let (as_file, as_link) = (kept(&file), kept(&link));
        let parent = File::open(directory.path()).unwrap();
        assert!(as_file.put_back(parent.as_fd(), Path::new("file")).is_err());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
        fs::remove_file(&file).unwrap();
        fs::remove_file(&link).unwrap();
        as_file.put_back(parent.as_fd(), Path::new("file")).unwrap();
        as_link.put_back(parent.as_fd(), Path::new("link")).unwrap();
        let (now_file, now_link) = (kept(&file), kept(&link));
        assert!(as_file.is_like(&now_file) && as_link.is_like(&now_link) && !as_file.is_like(&now_link));
        assert_eq!(as_file.metadata.modified().unwrap(), now_file.metadata.modified().unwrap());
    }

    #[test]
    fn what_is_no_file_of_a_usual_size_is_not_read() {
        let directory = tool_trials::directory();
        let file = directory.path().join("file");
        fs::write(&file, vec![0; MOST_BYTES as usize]).unwrap();
        assert!(read(&file).is_some());
        fs::write(&file, vec![0; MOST_BYTES as usize + 1]).unwrap();
        assert!(read(&file).is_none() && read(directory.path()).is_none());
        let link = directory.path().join("link");
        fs::write(&file, "text").unwrap();
        symlink("file", &link).unwrap();
        assert!(read(&link).is_none());
        assert_eq!(read_through(&link).unwrap(), b"text");
    }
}
