//! Owners: each handle on a journal holds a lock on a file of its own, and is dead when that lock can be taken. No clock is
//! involved. (journal.md §10)

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

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
        let id = uuid::Uuid::now_v7().to_string();
        // The standard library opens every file so that no child keeps it.
        let path = folder.join(format!("{id}.lock"));
        let mut lock =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive).map_err(|error| failed(error.into()))?;
        lock.write_all(std::process::id().to_string().as_bytes()).map_err(failed)?;
        Ok(Owner { id, folder, _lock: lock })
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.folder.join(format!("{}.lock", self.id)));
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
        let path = self.folder.join(format!("{owner}.lock"));
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
        let names =
            files.filter_map(|file| file.file_name().to_str()?.strip_suffix(".lock").map(str::to_owned));
        let others: Vec<String> = names.filter(|name| *name != self.me).collect();
        let alive = others.into_iter().filter(|owner| self.is_alive(owner)).collect::<Vec<_>>();
        alive
            .into_iter()
            .filter_map(|owner| std::fs::read_to_string(self.folder.join(format!("{owner}.lock"))).ok())
            .collect()
    }
}
