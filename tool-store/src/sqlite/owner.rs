//! Owners: each handle on a journal holds a lock on a file of its own, and is dead when that lock can be taken. No clock is
//! involved. (journal.md §10)

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use tool_core::journal::{JournalError, Result};

/// The owner that a handle writes as, alive as long as this value.
#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) id: String,
    folder: PathBuf,
    _lock: File,
}

impl Owner {
    /// A new owner beside a journal.
    pub(crate) fn new(journal: &Path) -> Result<Owner> {
        let folder = folder(journal);
        let failed =
            |error: std::io::Error| JournalError::unavailable(format!("{}: {error}", folder.display()));
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed)?;
        tidy(&folder);
        let id = uuid::Uuid::now_v7().to_string();
        // It has its name only when it is locked: a file of that name whose lock can be taken is always a dead owner's. The
        // standard library opens every file so that no child keeps it.
        let made = folder.join(format!("{id}{UNNAMED}"));
        let mut lock =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&made).map_err(failed)?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive).map_err(|error| failed(error.into()))?;
        lock.write_all(std::process::id().to_string().as_bytes()).map_err(failed)?;
        std::fs::rename(made, folder.join(format!("{id}{LOCK}"))).map_err(failed)?;
        Ok(Owner { id, folder, _lock: lock })
    }
}

/// How the file of an owner ends, and how it does before it is locked.
const LOCK: &str = ".lock";
const UNNAMED: &str = ".new";

/// How long a file may be without its name. Nobody takes that long to lock it.
const UNNAMED_MAX: Duration = Duration::from_secs(24 * 3_600);

/// Removes what dead owners have left: whether they are alive is asked by the absence of their file as well.
fn tidy(folder: &Path) {
    for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (file.path(), file.file_name());
        let name = name.to_string_lossy();
        let is_over = if name.ends_with(LOCK) {
            is_free(&path)
        } else {
            let age = file.metadata().and_then(|meta| meta.modified()).ok().and_then(|at| at.elapsed().ok());
            name.ends_with(UNNAMED) && age.is_some_and(|age| age > UNNAMED_MAX)
        };
        if is_over {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Whether a file is there and nobody has its lock.
fn is_free(path: &Path) -> bool {
    File::open(path).is_ok_and(|lock| flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok())
}

impl Owner {
    /// Nothing is written under this name any more.
    pub(crate) fn leave(&self) {
        let _ = std::fs::remove_file(self.folder.join(format!("{}{LOCK}", self.id)));
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.leave();
    }
}

fn folder(journal: &Path) -> PathBuf {
    journal.with_file_name("owners")
}

/// Who of the owners is alive.
#[derive(Debug)]
pub(crate) struct Owners {
    folder: PathBuf,
    me: String,
    /// An owner that is dead stays dead.
    dead: HashSet<String>,
}

impl Owners {
    pub(crate) fn new(journal: &Path, me: &str) -> Owners {
        Owners { folder: folder(journal), me: me.to_owned(), dead: HashSet::new() }
    }

    /// Whether an owner is alive.
    pub(crate) fn is_alive(&mut self, owner: &str) -> bool {
        if owner == self.me {
            return true;
        }
        // The id comes from a row: it must not lead out of the folder.
        if self.dead.contains(owner) || uuid::Uuid::parse_str(owner).is_err() {
            return false;
        }
        let path = self.folder.join(format!("{owner}{LOCK}"));
        let alive = File::open(&path)
            .is_ok_and(|lock| flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err());
        if !alive {
            self.dead.insert(owner.to_owned());
            let _ = std::fs::remove_file(path);
        }
        alive
    }

    /// The processes of the other owners that are alive.
    pub(crate) fn pids(&mut self) -> Vec<String> {
        let files = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = files.filter_map(|file| file.file_name().to_str()?.strip_suffix(LOCK).map(str::to_owned));
        let others: Vec<String> = names.filter(|name| *name != self.me).collect();
        let alive = others.into_iter().filter(|owner| self.is_alive(owner)).collect::<Vec<_>>();
        alive
            .into_iter()
            .filter_map(|owner| std::fs::read_to_string(self.folder.join(format!("{owner}{LOCK}"))).ok())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(journal: &Path) -> Vec<String> {
        let files = std::fs::read_dir(folder(journal)).unwrap();
        let mut names: Vec<String> =
            files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_the_dead_have_left_goes_with_the_next_owner_and_the_living_stay() {
        let home = tool_trials::directory();
        let journal = home.path().join("journal.db");
        let living = Owner::new(&journal).unwrap();
        // As a kill leaves it: the file, and nobody who has its lock.
        let dead = uuid::Uuid::now_v7().to_string();
        std::fs::write(folder(&journal).join(format!("{dead}.lock")), "1").unwrap();
        std::fs::write(folder(&journal).join("young.new"), "").unwrap();
        let old = File::create(folder(&journal).join("old.new")).unwrap();
        old.set_modified(std::time::SystemTime::now() - 2 * UNNAMED_MAX).unwrap();
        let next = Owner::new(&journal).unwrap();
        let mut wanted = [format!("{}.lock", living.id), format!("{}.lock", next.id), "young.new".to_owned()];
        wanted.sort();
        assert_eq!(names(&journal), wanted);
        let mut owners = Owners::new(&journal, &next.id);
        assert!(owners.is_alive(&living.id) && !owners.is_alive(&dead));
        drop((living, next));
        assert_eq!(names(&journal), ["young.new"]);
    }
}
