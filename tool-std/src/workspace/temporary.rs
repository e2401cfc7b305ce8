//! Temporary names beside their targets, and what is left of them after a crash (files.md §4).

use std::fs::File;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat, unlinkat};
use rustix::io::Errno;
use tool_core::ToolError;

use super::fault::{Faults, Operation};
use super::walk::WalkOptions;
use super::{Workspace, tree};

/// What every temporary name begins with; 16 hex digits follow.
pub(crate) const PREFIX: &str = ".toolbox-tmp-";
/// Hex digits behind the prefix.
const DIGITS: usize = 16;
/// A leftover this old belongs to nobody.
const LEFTOVER_AGE: Duration = Duration::from_secs(3_600);
/// Entries that opening a workspace looks at for leftovers: in a larger tree some may stay, and no walk shows them.
const SWEEP_ENTRIES: u64 = 10_000;

/// A temporary file; it is removed when it is dropped without having become something.
#[derive(Debug)]
pub(crate) struct Temporary<'d> {
    directory: BorrowedFd<'d>,
    name: String,
    /// Open for writing.
    pub(crate) file: File,
    is_kept: bool,
    faults: Faults,
}

impl<'d> Temporary<'d> {
    /// Creates one; `mode` is masked by the process's umask.
    pub(crate) fn create(faults: Faults, directory: BorrowedFd<'d>, mode: Mode) -> Result<Self, Errno> {
        faults.before(Operation::Create)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let name = random_name()?;
        let file = openat(directory, name.as_str(), flags, mode)?.into();
        Ok(Self { directory, name, file, is_kept: false, faults })
    }

    /// Its name in the directory.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Writes at its end.
    pub(crate) fn write(&self, bytes: &[u8]) -> std::io::Result<()> {
        self.faults.write(&self.file, bytes)
    }

    /// It has become something else: there is nothing to remove.
    pub(crate) fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_kept && self.faults.may_clean_up() {
            let _ = unlinkat(self.directory, self.name.as_str(), AtFlags::empty());
        }
    }
}

/// A temporary name that nobody can foresee.
pub(crate) fn random_name() -> Result<String, Errno> {
    let mut bytes = [0u8; DIGITS / 2];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    Ok(format!("{PREFIX}{:016x}", u64::from_ne_bytes(bytes)))
}

pub(crate) fn is_temporary(name: &[u8]) -> bool {
    name.strip_prefix(PREFIX.as_bytes())
        .is_some_and(|digits| digits.len() == DIGITS && digits.iter().all(u8::is_ascii_hexdigit))
}

impl Workspace {
    /// Removes leftovers near the root; a tree that cannot be read keeps them.
    pub(crate) fn sweep(&self) -> Result<(), ToolError> {
        let root = self.resolve(Path::new("."))?;
        let options = WalkOptions {
            hidden: true,
            sees_everything: true,
            entries: Some(SWEEP_ENTRIES),
            ..WalkOptions::default()
        };
        let mut walk = self.walk(&root, options)?;
        while let Some(entry) = walk.advance()? {
            if is_temporary(entry.name()) {
                remove_if_old(entry.directory(), entry.name());
            }
        }
        Ok(())
    }
}

/// Removes what is left of a write, or of the copying or deleting of a tree.
fn remove_if_old(directory: BorrowedFd<'_>, name: &[u8]) {
    let Ok(stat) = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) else { return };
    let modified = UNIX_EPOCH + Duration::from_secs(u64::try_from(stat.st_mtime).unwrap_or_default());
    let is_old = SystemTime::now().duration_since(modified).is_ok_and(|age| age > LEFTOVER_AGE);
    if !is_old {
        return;
    }
    let _ = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => unlinkat(directory, name, AtFlags::empty()),
        FileType::Directory => tree::remove(directory, name),
        _ => Ok(()),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn leftovers_older_than_an_hour_go_when_the_workspace_is_opened() {
        let dir = tool_trials::directory();
        std::fs::create_dir(dir.path().join("sub")).unwrap();
        let old = SystemTime::now() - LEFTOVER_AGE - Duration::from_secs(60);
        let files = [
            (".toolbox-tmp-0123456789abcdef", true, false),
            ("sub/.toolbox-tmp-0123456789abcdef", true, false),
            (".toolbox-tmp-fedcba9876543210", false, true),
            (".toolbox-tmp-notes", true, true),
        ];
        for (name, is_old, _) in files {
            let file = File::create(dir.path().join(name)).unwrap();
            if is_old {
                file.set_modified(old).unwrap();
            }
        }
        Workspace::open(dir.path(), Default::default()).unwrap();
        for (name, _, stays) in files {
            assert_eq!(dir.path().join(name).exists(), stays, "{name}");
        }
    }

    #[test]
    fn a_temporary_that_is_not_kept_is_removed() {
        let dir = tool_trials::directory();
        let open = File::open(dir.path()).unwrap();
        let count = || std::fs::read_dir(dir.path()).unwrap().count();
        let temporary = Temporary::create(Faults::default(), open.as_fd(), Mode::RUSR).unwrap();
        assert!(is_temporary(temporary.name().as_bytes()) && count() == 1);
        drop(temporary);
        assert_eq!(count(), 0);
        Temporary::create(Faults::default(), open.as_fd(), Mode::RUSR).unwrap().keep();
        assert_eq!(count(), 1);
    }
}
