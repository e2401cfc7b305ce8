//! Space for outcomes: no intent is written where its outcome might not fit. (journal.md §10)

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use tool_core::journal::{JournalError, Result};

/// Free bytes below which no new intents are written.
pub const MIN_FREE: u64 = 64 * 1024 * 1024;

/// What is kept to be given up when an outcome does not fit.
const BALLAST: usize = 1024 * 1024;

/// The space beside a journal.
#[derive(Debug)]
pub(crate) struct Space {
    folder: PathBuf,
    ballast: PathBuf,
    min_free: u64,
}

impl Space {
    pub(crate) fn new(journal: &Path, min_free: u64) -> Space {
        let folder = journal.parent().map_or_else(|| PathBuf::from("."), Path::to_owned);
        Space { folder, ballast: journal.with_extension("ballast"), min_free }
    }

    /// Refuses intents where too little is free.
    pub(crate) fn check(&self) -> Result<()> {
        let free = self.free();
        if free >= self.min_free {
            return Ok(());
        }
        let (folder, least) = (self.folder.display(), self.min_free);
        Err(JournalError::unavailable(format!(
            "{folder} has {free} free bytes; the journal needs {least} to take on new calls."
        )))
    }

    fn free(&self) -> u64 {
        fail::fail_point!("space.free", |bytes| bytes.and_then(|bytes| bytes.parse().ok()).unwrap_or(0));
        rustix::fs::statvfs(&self.folder).map_or(u64::MAX, |stat| stat.f_bavail.saturating_mul(stat.f_frsize))
    }

    /// Puts the ballast there, where there is room for it.
    pub(crate) fn load(&self) {
        if self.free() < self.min_free.max(2 * BALLAST as u64) || self.ballast.exists() {
            return;
        }
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.ballast);
        // What is not there cannot help, and harms nobody.
        if let Ok(mut file) = file
            && file.write_all(&vec![0; BALLAST]).and_then(|()| file.sync_all()).is_err()
        {
            let _ = std::fs::remove_file(&self.ballast);
        }
    }

    /// Gives the ballast up; whether there was any.
    pub(crate) fn free_ballast(&self) -> bool {
        std::fs::remove_file(&self.ballast).is_ok()
    }
}
