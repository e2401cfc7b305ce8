//! Managed workspaces that nobody has opened for long, and all of an owner who is gone: removed by handle (sandbox.md §5).
//!
//! A stamp beside each workspace says when it was opened last; who has it open holds the stamp, so that nobody loses the ground
//! under a running program. Times of directories say nothing: reading a tree changes none.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Dir, FlockOperation, Mode, OFlags, flock, openat, renameat, unlinkat};
use rustix::io::Errno;

use super::managed::{DIRECTORY, STAMP};
use super::temporary::{is_temporary, random_name};
use super::tree;

/// Removes the workspaces that were not opened for longer than `age`; says how many. What cannot be removed stays.
pub(crate) fn unused(data: &Path, age: Duration, now: SystemTime) -> io::Result<usize> {
    let Some(all) = directory(CWD, data.join(DIRECTORY))? else { return Ok(0) };
    let mut removed = 0;
    for owner in names(&all)? {
        if is_temporary(owner.as_bytes()) {
            let _ = tree::remove(all.as_fd(), owner.as_bytes());
            continue;
        }
        let Some(owner) = directory(&all, owner)? else { continue };
        for name in names(&owner)? {
            if is_temporary(name.as_bytes()) {
                // Somebody was ended while removing it.
                let _ = tree::remove(owner.as_fd(), name.as_bytes());
            } else if let Some(workspace) = name.strip_suffix(STAMP)
                && is_unused(&owner, &name, age, now)?
                    .is_some_and(|stamp| take(&owner, workspace, &name, stamp))
            {
                removed += 1;
            }
        }
    }
    Ok(removed)
}

/// Removes every workspace of an owner, by the name of its directory; says whether there was one.
pub(crate) fn owner(data: &Path, name: &str) -> io::Result<bool> {
    let Some(all) = directory(CWD, data.join(DIRECTORY))? else { return Ok(false) };
    let aside = random_name()?;
    match renameat(&all, name, &all, aside.as_str()) {
        Ok(()) => {}
        Err(Errno::NOENT) => return Ok(false),
        Err(errno) => return Err(errno.into()),
    }
    tree::remove(all.as_fd(), aside.as_bytes())?;
    Ok(true)
}

/// The stamp of a workspace that was not opened for so long and that nobody has open now, held.
fn is_unused(owner: &OwnedFd, name: &str, age: Duration, now: SystemTime) -> io::Result<Option<File>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let stamp: File = match openat(owner, name, flags, Mode::empty()) {
        Ok(stamp) => stamp.into(),
        Err(Errno::NOENT | Errno::LOOP) => return Ok(None),
        Err(errno) => return Err(errno.into()),
    };
    if flock(&stamp, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(None);
    }
    let idle = now.duration_since(stamp.metadata()?.modified()?).unwrap_or_default();
    Ok((idle > age).then_some(stamp))
}

/// Removes a workspace and its stamp while the stamp is held.
fn take(owner: &OwnedFd, workspace: &str, name: &str, stamp: File) -> bool {
    let gone = || -> Result<(), Errno> {
        let aside = random_name()?;
        match renameat(owner, workspace, owner, aside.as_str()) {
            Ok(()) => tree::remove(owner.as_fd(), aside.as_bytes())?,
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(errno),
        }
        unlinkat(owner, name, AtFlags::empty())
    };
    let outcome = gone();
    drop(stamp);
    if let Err(errno) = outcome {
        tracing::warn!(%errno, "an unused workspace could not be removed");
    }
    outcome.is_ok()
}

/// A directory that is no link; nothing where there is none.
fn directory(at: impl AsFd, name: impl rustix::path::Arg) -> io::Result<Option<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(at, name, flags, Mode::empty()) {
        Ok(directory) => Ok(Some(directory)),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

/// The names in a directory; all that we make are text.
fn names(directory: &OwnedFd) -> io::Result<Vec<String>> {
    let entries = Dir::read_from(directory)?;
    let names =
        entries.filter_map(Result::ok).filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned));
    Ok(names.filter(|name| name != "." && name != "..").collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::{Workspace, WorkspacePolicy};

    const AGE: Duration = Duration::from_secs(100);

    /// A managed workspace that was opened at a time, and is closed.
    fn opened(data: &Path, owner: &str, id: &str, at: SystemTime) -> std::path::PathBuf {
        let workspace = Workspace::managed(data, owner, id, WorkspacePolicy::default()).unwrap();
        let root = workspace.root().to_path_buf();
        std::fs::write(root.join("f"), "x").unwrap();
        drop(workspace);
        let stamp = root.with_file_name(format!("{id}{STAMP}"));
        File::open(stamp).unwrap().set_modified(at).unwrap();
        root
    }

    #[test]
    fn a_workspace_goes_when_it_is_older_than_allowed_and_not_at_that_age() {
        let data = tool_trials::directory();
        let now = SystemTime::now();
        let at = opened(data.path(), "me", "at", now - AGE);
        let over = opened(data.path(), "me", "over", now - AGE - Duration::from_secs(1));
        let other = opened(data.path(), "you", "over", now - AGE - Duration::from_secs(1));
        // The tree itself is older still: its times do not count.
        File::open(&at).unwrap().set_modified(now - 100 * AGE).unwrap();
        assert_eq!(unused(data.path(), AGE, now).unwrap(), 2);
        assert!(at.join("f").exists() && !over.exists() && !other.exists());
        assert!(at.with_file_name(format!("at{STAMP}")).exists());
        assert!(!over.with_file_name(format!("over{STAMP}")).exists());
    }

    #[test]
    fn what_is_open_stays_and_goes_when_it_is_closed() {
        let data = tool_trials::directory();
        let root = opened(data.path(), "me", "w", SystemTime::now());
        let open = Workspace::managed(data.path(), "me", "w", WorkspacePolicy::default()).unwrap();
        let later = SystemTime::now() + 2 * AGE;
        assert_eq!(unused(data.path(), AGE, later).unwrap(), 0);
        assert!(root.join("f").exists());
        drop(open);
        assert_eq!(unused(data.path(), AGE, later).unwrap(), 1);
        assert!(!root.exists());
        assert!(Workspace::managed(data.path(), "me", "w", WorkspacePolicy::default()).is_ok());
    }

    #[test]
    fn opening_one_sweeps_the_others_by_the_policy() {
        let data = tool_trials::directory();
        let old = opened(data.path(), "me", "old", SystemTime::now() - 10 * AGE);
        let open = |max_age| {
            Workspace::managed(data.path(), "me", "new", WorkspacePolicy { max_age, ..Default::default() })
        };
        open(None).unwrap();
        assert!(old.exists());
        open(Some(20 * AGE)).unwrap();
        assert!(old.exists());
        open(Some(AGE)).unwrap();
        assert!(!old.exists());
    }

    #[test]
    fn with_an_owner_all_its_workspaces_go_and_no_link_is_followed() {
        let data = tool_trials::directory();
        let outside = tool_trials::directory();
        std::fs::write(outside.path().join("f"), "x").unwrap();
        let [mine, other] = ["Me 1", "you"].map(|owner| opened(data.path(), owner, "w", SystemTime::now()));
        std::os::unix::fs::symlink(outside.path(), mine.join("link")).unwrap();
        assert!(Workspace::delete_owner(data.path(), "Me 1").unwrap());
        assert!(!mine.exists() && other.join("f").exists() && outside.path().join("f").exists());
        assert!(!Workspace::delete_owner(data.path(), "Me 1").unwrap());
        assert_eq!(
            Workspace::delete_owner(data.path(), "..").unwrap_err().code_str(),
            "workspace_id_invalid"
        );
        assert_eq!(std::fs::read_dir(data.path().join(DIRECTORY)).unwrap().count(), 1);
    }
}
