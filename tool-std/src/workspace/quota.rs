//! How much a workspace may hold: measured by a walk, checked before each write (sandbox.md §4).

use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Mutex;

use rustix::fs::{FileType, fstatvfs};
use tool_core::ToolError;

use super::walk::{GitDirectories, WalkOptions};
use super::{Workspace, refusal};

/// What there is, in bytes and in entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes of regular files.
    pub bytes: u64,
    /// Entries of any kind.
    pub files: u64,
}

/// The quotas of a workspace and what is used of them.
#[derive(Debug)]
pub(crate) struct Quota {
    max_bytes: Option<u64>,
    max_files: Option<u64>,
    used: Mutex<Usage>,
}

/// What a quota has left; nothing where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) bytes: Option<u64>,
    pub(crate) files: Option<u64>,
}

/// What a write adds and removes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change {
    pub(crate) old_bytes: u64,
    pub(crate) new_bytes: u64,
    pub(crate) new_files: u64,
}

impl Quota {
    pub(crate) fn new(max_bytes: Option<u64>, max_files: Option<u64>) -> Self {
        Self { max_bytes, max_files, used: Mutex::default() }
    }

    fn is_set(&self) -> bool {
        self.max_bytes.is_some() || self.max_files.is_some()
    }

    fn with<T>(&self, act: impl FnOnce(&mut Usage) -> T) -> T {
        act(&mut self.used.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    fn permit(&self, change: Change) -> Result<(), ToolError> {
        let used = self.with(|used| *used);
        let more = change.new_bytes.saturating_sub(change.old_bytes);
        let rows = [
            ("bytes", used.bytes, more, self.max_bytes),
            ("files", used.files, change.new_files, self.max_files),
        ];
        for (what, used, wanted, limit) in rows {
            if let Some(limit) = limit
                && wanted > 0
                && used.saturating_add(wanted) > limit
            {
                return Err(refusal::quota_exceeded(what, used, wanted, limit));
            }
        }
        Ok(())
    }
}

impl Workspace {
    /// Measures what is used, if there is a quota: at open, after commands, and before a write is refused.
    ///
    /// # Errors
    /// Those of a walk.
    pub fn measure(&self) -> Result<(), ToolError> {
        let quota = &self.tree.quota;
        if !quota.is_set() {
            return Ok(());
        }
        let root = self.resolve(Path::new("."))?;
        let options = WalkOptions {
            hidden: true,
            git: GitDirectories::Descended,
            sees_everything: true,
            entries: Some(u64::MAX),
            ..WalkOptions::default()
        };
        let mut usage = Usage::default();
        let mut walk = self.walk(&root, options)?;
        while let Some(entry) = walk.advance()? {
            usage.files += 1;
            if entry.kind == FileType::RegularFile {
                usage.bytes += entry.stat().map_or(0, |stat| stat.st_size.cast_unsigned());
            }
        }
        quota.with(|used| *used = usage);
        Ok(())
    }

    /// Refuses a change that passes the quota, or leaves less than the floor of free space on the file system.
    pub(crate) fn permit_change(&self, directory: impl AsFd, change: Change) -> Result<(), ToolError> {
        if self.tree.quota.permit(change).is_err() {
            // Much is taken away that nobody counts: by moves, by reverts, by whoever else works here.
            self.measure()?;
            self.tree.quota.permit(change)?;
        }
        let free = fstatvfs(directory).map_or(u64::MAX, |fs| fs.f_bavail.saturating_mul(fs.f_frsize));
        match free.checked_sub(change.new_bytes) {
            Some(left) if left >= self.limits().free_space_floor => Ok(()),
            _ => Err(refusal::disk_full()),
        }
    }

    /// What is used, by the last measure and what was written since; `None` without a quota, for which nothing is measured.
    pub fn usage(&self) -> Option<Usage> {
        let quota = &self.tree.quota;
        quota.is_set().then(|| quota.with(|used| *used))
    }

    /// What the quota has left, by the last measure.
    pub(crate) fn quota_left(&self) -> Left {
        let quota = &self.tree.quota;
        let used = quota.with(|used| *used);
        Left {
            bytes: quota.max_bytes.map(|most| most.saturating_sub(used.bytes)),
            files: quota.max_files.map(|most| most.saturating_sub(used.files)),
        }
    }

    /// Whether there is more than the quota allows, by the last measure.
    pub(crate) fn is_over_quota(&self) -> bool {
        let quota = &self.tree.quota;
        let used = quota.with(|used| *used);
        quota.max_bytes.is_some_and(|most| used.bytes > most)
            || quota.max_files.is_some_and(|most| used.files > most)
    }

    /// Notes a change that was made.
    pub(crate) fn note_change(&self, change: Change) {
        self.tree.quota.with(|used| {
            used.bytes = used.bytes.saturating_sub(change.old_bytes).saturating_add(change.new_bytes);
            used.files = used.files.saturating_add(change.new_files);
        });
    }
}
