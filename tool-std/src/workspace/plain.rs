//! Opening a plain file for reading in one step: half the price of an `O_PATH` handle that is opened again.
//!
//! What makes the second step worth its price is not met here: opening or closing must not be felt by anybody (the other end
//! of a FIFO, a device, a lock that this program holds on its journal), and a look at the name beforehand says that it is a
//! regular file with one name. The name may mean another file a moment later; so what was opened is looked at again, and
//! decided about by its handle alone. Everything else goes the long way, in [`super::open`].

use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Component, Path};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2, statat};
use rustix::io::Errno;

use super::open::{Handle, Opener, Resolver};
use super::path::Relative;
use super::policy::Rule;

/// Reading, felt by nobody.
const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Files that turned out to have another name when they were open already.
///
/// Closing a file drops the locks that the program holds on it, under whichever name. What might be the journal is therefore
/// never closed, and since somebody plays with names, nothing is opened in one step any more.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    any: AtomicBool,
    files: Mutex<Vec<OwnedFd>>,
}

impl Kept {
    fn keep(&self, file: OwnedFd) {
        self.any.store(true, Ordering::Relaxed);
        self.files.lock().unwrap_or_else(PoisonError::into_inner).push(file);
    }
}

impl Opener {
    /// A plain file by its path from the root. `None` says nothing.
    pub(crate) fn plain(&self, path: &Relative) -> Option<Handle> {
        let names = path.as_path();
        let is_plain = names.components().all(|part| matches!(part, Component::Normal(_)));
        if self.resolver() != Resolver::Openat2 || !is_plain {
            return None;
        }
        let mounts = if self.mounts() == Rule::Deny { ResolveFlags::NO_XDEV } else { ResolveFlags::empty() };
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS | mounts;
        let open = || openat2(self.root(), names, FLAGS, Mode::empty(), resolve);
        self.opened_as_seen(self.root(), names, path, open)
    }

    /// A plain file by its name in an open directory. `None` says nothing.
    pub(crate) fn plain_child(
        &self,
        directory: BorrowedFd<'_>,
        name: &Path,
        path: &Relative,
    ) -> Option<Handle> {
        if self.mounts() == Rule::Deny {
            return None;
        }
        let open = || openat(directory, name, FLAGS | OFlags::NOFOLLOW, Mode::empty());
        self.opened_as_seen(directory, name, path, open)
    }

    fn opened_as_seen(
        &self,
        directory: BorrowedFd<'_>,
        name: &Path,
        path: &Relative,
        open: impl FnOnce() -> Result<OwnedFd, Errno>,
    ) -> Option<Handle> {
        if self.kept().any.load(Ordering::Relaxed) {
            return None;
        }
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
        if !has_one_name(&statat(directory, name, flags).ok()?) {
            return None;
        }
        let file = open().ok()?;
        let stat = fstat(&file).ok()?;
        if has_one_name(&stat) {
            return Some(Handle::to_read(file, stat, path.clone()));
        }
        if stat.st_nlink > 1 {
            self.kept().keep(file);
        }
        None
    }
}

fn has_one_name(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && stat.st_nlink == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opener(root: &Path) -> Opener {
        Opener::new(root, Rule::Allow, false).unwrap()
    }

    fn relative(path: &str) -> Relative {
        Relative::from_components(path.as_bytes().split(|byte| *byte == b'/'))
    }

    #[test]
    fn only_a_regular_file_with_one_name_is_opened() {
        let root = tool_trials::directory();
        let path = |name: &str| root.path().join(name);
        std::fs::create_dir(path("d")).unwrap();
        std::fs::write(path("d/plain"), "x").unwrap();
        std::fs::write(path("one"), "x").unwrap();
        std::fs::hard_link(path("one"), path("two")).unwrap();
        std::os::unix::fs::symlink("d", path("link")).unwrap();
        std::os::unix::fs::symlink("plain", path("d/linked")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            path("fifo"),
            FileType::Fifo,
            Mode::from_raw_mode(0o600),
            rustix::fs::makedev(0, 0),
        )
        .unwrap();
        let opener = opener(root.path());
        if opener.resolver() != Resolver::Openat2 {
            println!("skipped: no openat2");
            return;
        }
        assert!(opener.plain(&relative("d/plain")).is_some());
        for other in ["one", "two", "link/plain", "d/linked", "fifo", "d", "missing"] {
            assert!(opener.plain(&relative(other)).is_none(), "{other}");
        }
        assert!(!opener.kept().any.load(Ordering::Relaxed), "nothing of that was opened");
    }

    #[test]
    fn a_file_that_gets_a_second_name_meanwhile_is_never_closed() {
        let root = tool_trials::directory();
        std::fs::write(root.path().join("plain"), "x").unwrap();
        std::fs::write(root.path().join("shared"), "x").unwrap();
        std::fs::hard_link(root.path().join("shared"), root.path().join("other")).unwrap();
        let opener = opener(root.path());
        let name = Path::new("plain");
        let swapped = || openat(opener.root(), "shared", FLAGS, Mode::empty());
        assert!(opener.opened_as_seen(opener.root(), name, &relative("plain"), swapped).is_none());
        assert_eq!(opener.kept().files.lock().unwrap().len(), 1);
        // From now on only the long way is gone.
        assert!(opener.plain(&relative("plain")).is_none());
        assert!(opener.handle(name).is_ok());
    }
}
