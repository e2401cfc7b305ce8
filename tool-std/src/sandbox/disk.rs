//! The disk while a command runs: the free space of the file system, and the quota of the workspace (sandbox.md §4).
//!
//! Free space is cheap to ask for, the usage of a workspace is not: it is measured again only when the file system has lost
//! more than the quota has left.

use rustix::fs::{StatVfs, fstatvfs};

use crate::workspace::{Usage, Workspace};

/// What is watched.
#[derive(Debug)]
pub(super) struct Disk {
    workspace: Workspace,
    /// The most that was free since the usage was measured.
    free: Usage,
}

impl Disk {
    /// Notes what is free before a command.
    pub(super) fn watch(workspace: &Workspace) -> Self {
        let free = status(workspace).map(|disk| free(&disk)).unwrap_or_default();
        Self { workspace: workspace.clone(), free }
    }

    /// Whether the command has to be stopped: the disk is full, or the quota spent.
    pub(super) fn is_full(&mut self) -> bool {
        let Some(disk) = status(&self.workspace) else { return false };
        let free = free(&disk);
        if free.bytes < self.workspace.limits().free_space_floor {
            return true;
        }
        self.free.bytes = self.free.bytes.max(free.bytes);
        self.free.files = self.free.files.max(free.files);
        let left = self.workspace.quota_left();
        let lost = |before: u64, now: u64, left: Option<u64>| {
            left.is_some_and(|left| before.saturating_sub(now) > left)
        };
        if !lost(self.free.bytes, free.bytes, left.bytes) && !lost(self.free.files, free.files, left.files) {
            return false;
        }
        self.free = free;
        if let Err(error) = self.workspace.measure() {
            tracing::warn!(%error, "the workspace could not be measured");
        }
        self.workspace.is_over_quota()
    }
}

fn status(workspace: &Workspace) -> Option<StatVfs> {
    fstatvfs(workspace.opener().root()).ok()
}

fn free(disk: &StatVfs) -> Usage {
    Usage { bytes: disk.f_bavail.saturating_mul(disk.f_frsize), files: disk.f_favail }
}
