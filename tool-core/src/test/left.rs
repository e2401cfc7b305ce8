//! What calls leave behind: files in directories that are watched, and processes that threads have started.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use crate::canonical::hex;

/// How long what is to end may take for it: a process that was killed, a task that was aborted.
pub(super) const SETTLING: Duration = Duration::from_secs(2);

/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(5);

/// Every path below directories.
pub(super) fn files(directories: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for directory in directories {
        collect(directory, &mut found);
    }
    found
}

fn collect(directory: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&entry.path(), found);
        }
        found.insert(entry.path());
    }
}

/// The threads of a name. Only Linux tells them. (proc(5), `/proc/PID/task/TID`)
fn named(thread: &str) -> impl Iterator<Item = PathBuf> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten().map(|task| task.path());
    tasks
        .filter(move |task| fs::read_to_string(task.join("comm")).is_ok_and(|name| name.trim_end() == thread))
}

/// How many threads of a name there are.
pub(super) fn threads(thread: &str) -> usize {
    named(thread).count()
}

/// The processes that the threads of a name have started and that have not been waited for.
pub(super) fn children(thread: &str) -> BTreeSet<u32> {
    let lists = named(thread).filter_map(|task| fs::read_to_string(task.join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Everything below directories, with a digest of what the files hold. What cannot be read is as it is.
pub(super) fn pictures(directories: &[PathBuf]) -> BTreeMap<PathBuf, String> {
    let there = files(directories).into_iter();
    there
        .map(|path| {
            let is_file = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file());
            let bytes = is_file.then(|| fs::read(&path).ok()).flatten();
            let digest = bytes.map(|bytes| hex(&Sha256::digest(bytes))).unwrap_or_default();
            (path, digest)
        })
        .collect()
}

/// The processes that this thread has started and that have not been waited for.
pub(super) fn own_children() -> BTreeSet<u32> {
    let list = fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
    list.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// Those of some child processes that live on, after a while for the others to die.
pub(super) fn living(children: &BTreeSet<u32>) -> Vec<u32> {
    settled(|| children.iter().copied().filter(|id| is_alive(*id)).collect(), Vec::is_empty)
}

/// What is seen as soon as it is as it should be, or when the time for that is over.
pub(super) fn settled<T>(look: impl Fn() -> T, is_over: impl Fn(&T) -> bool) -> T {
    let end = Instant::now() + SETTLING;
    loop {
        let seen = look();
        if is_over(&seen) || Instant::now() >= end {
            return seen;
        }
        std::thread::park_timeout(LOOK);
    }
}

/// The name of a process's program; nothing where it is gone.
pub(super) fn name(id: u32) -> String {
    fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default().trim_end().to_owned()
}

/// Whether a process is there, has not ended, and is a child of this one: an id may belong to another process by now. (proc(5):
/// state and parent follow the name in brackets)
fn is_alive(id: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let mut rest = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let (state, parent) = (rest.next(), rest.next().and_then(|id| id.parse().ok()));
    parent == Some(std::process::id()) && state.is_some_and(|state| !matches!(state, "Z" | "X"))
}
