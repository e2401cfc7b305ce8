//! `copy_file`: a file, or a tree, that appears at once or not at all (files.md §12).

use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, fsync, syncfs};
use schemars::JsonSchema;
use serde::Serialize;
use tool_core::{ToolError, tool};

use super::placing::{Overwrite, Placed, place, replaced};
use super::reconcile::reconcile;
use super::revert::revert;
use crate::workspace::{
    Change, Deed, Destination, Handle, Intent, Operation, Parents, Purpose, Relative, Seen, Temporary,
    TemporaryTree, TreeCopy, Use, Workspace, WorkspacePath, refusal,
};

/// What was copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Copied {
    /// How many files, directories and links were made.
    pub entries: u64,
    /// Bytes of the files.
    pub bytes: u64,
}

/// Copies a file, or with `recursive` a directory and everything in it.
///
/// `to` is the new name, never a directory to copy into. Permissions are kept; links inside a directory are copied as
/// links.
#[tool(group = "file", aliases = ["copy"], side_effect, idempotent = false, reconcile = reconcile, revert = revert)]
#[example("A file under another name", { "from": "config.toml", "to": "config.old.toml" } => { "entries": 1 })]
#[example("A directory with everything in it", { "from": "src", "to": "src.old", "recursive": true })]
pub fn copy_file(
    /// What to copy, relative to the workspace root.
    #[arg(positional, hint = "path")]
    from: &Path,
    /// The name of the copy, relative to the workspace root.
    #[arg(positional, hint = "path")]
    to: &Path,
    /// Replace a file that has the name.
    overwrite: bool,
    /// Copy a directory with everything in it.
    #[arg(short = 'r')]
    recursive: bool,
    /// Make missing directories.
    parents: bool,
    #[ctx] workspace: &Workspace,
) -> Result<Copied, ToolError> {
    let (from, to) = (workspace.resolve(from)?, workspace.resolve(to)?);
    workspace.may_write()?;
    let source = workspace.existing(&from, Use::Read)?;
    check_kind(&from, &source, recursive)?;
    let placed = Placed { relative: &source.relative, file: &source };
    let destination = place(workspace, placed, &to, Overwrite::from(overwrite))?;
    let parents = if parents { Parents::Made } else { Parents::Required };
    let copying = Copying { workspace, from: &from, to: &to, source: &source, parents };
    match source.is_directory() {
        true => copying.tree(destination),
        false => copying.file(destination),
    }
}

fn check_kind(from: &WorkspacePath, source: &Handle, recursive: bool) -> Result<(), ToolError> {
    let given = from.given();
    match source.kind() {
        FileType::Directory if recursive => Ok(()),
        FileType::Directory => {
            Err(refusal::is_a_directory(given).hint("set recursive = true to copy everything in it"))
        }
        _ if from.names_directory() => Err(refusal::not_a_directory(given)),
        FileType::RegularFile => Ok(()),
        other => Err(refusal::not_regular_file(given, other)),
    }
}

/// The copy under its temporary name, and the directories that were made for it.
struct New<'a> {
    directory: BorrowedFd<'a>,
    name: &'a [u8],
    made: Vec<Relative>,
}

/// A copy with everything checked but what is copied.
struct Copying<'a> {
    workspace: &'a Workspace,
    from: &'a WorkspacePath,
    to: &'a WorkspacePath,
    source: &'a Handle,
    parents: Parents,
}

impl Copying<'_> {
    fn file(&self, destination: Destination) -> Result<Copied, ToolError> {
        let (bytes, limit) = (self.source.stat.st_size.cast_unsigned(), self.workspace.limits().copy_bytes);
        if bytes > limit {
            return Err(refusal::file_too_large(bytes, limit));
        }
        let change = self.permit(&destination, 1, bytes)?;
        let failed = |errno| refusal::system(self.from.given(), errno);
        let open = self.source.reopen(OFlags::RDONLY).map_err(failed)?;
        let (relative, replaced) = (destination.relative.clone(), replaced(self.workspace, &destination)?);
        let mut held = destination.hold(self.workspace, self.parents, None)?;
        let (directory, faults) = (held.open_directory()?, self.workspace.faults());
        let temporary = Temporary::create(faults.clone(), directory.as_fd(), Mode::RUSR | Mode::WUSR)
            .map_err(|errno| refusal::system(self.to.given(), errno))?;
        let stat = &self.source.stat;
        let bytes = self.workspace.copy_content(self.from.given(), open, stat, &temporary.file)?;
        faults.before(Operation::Sync).and_then(|()| fsync(&temporary.file)).map_err(failed)?;
        let copied = Copied { entries: 1, bytes };
        let new = New { directory: directory.as_fd(), name: temporary.name().as_bytes(), made: held.made() };
        self.keep_evidence(&relative, &replaced, new, copied)?;
        held.rename_here(directory.as_fd(), temporary.name().as_bytes())?;
        temporary.keep();
        self.workspace.note_change(change);
        Ok(copied)
    }

    fn tree(&self, destination: Destination) -> Result<Copied, ToolError> {
        let measure = self.workspace.measure_tree(self.from, self.source, Purpose::Copy)?;
        let change = self.permit(&destination, measure.entries, measure.bytes)?;
        let (relative, replaced) = (destination.relative.clone(), replaced(self.workspace, &destination)?);
        let mut held = destination.hold(self.workspace, self.parents, None)?;
        let (directory, faults) = (held.open_directory()?, self.workspace.faults());
        let failed = |errno| refusal::system(self.to.given(), errno);
        let temporary = TemporaryTree::name_in(faults.clone(), directory.as_fd()).map_err(failed)?;
        let copy = TreeCopy { workspace: self.workspace, from: self.from };
        let copied = copy.run(self.source, directory.as_fd(), temporary.name(), relative.clone())?;
        faults.before(Operation::Sync).and_then(|()| syncfs(&directory)).map_err(failed)?;
        let copied = Copied { entries: copied.entries, bytes: copied.bytes };
        let new = New { directory: directory.as_fd(), name: temporary.name(), made: held.made() };
        self.keep_evidence(&relative, &replaced, new, copied)?;
        held.rename_here(directory.as_fd(), temporary.name())?;
        temporary.keep();
        self.workspace.note_change(change);
        Ok(copied)
    }

    fn keep_evidence(
        &self,
        path: &Relative,
        (before, old): &(Option<Seen>, Option<Vec<u8>>),
        new: New<'_>,
        copied: Copied,
    ) -> Result<(), ToolError> {
        if !self.workspace.is_recorded() {
            return Ok(());
        }
        let given = self.to.given();
        let copy = self.workspace.child_now(given, new.directory, new.name, path.clone())?;
        let after = Some(self.workspace.seen(&copy).map_err(|error| refusal::io(given, &error))?);
        let (intent, before) = (Intent::new(Deed::Copied, path, copied), before.clone());
        self.workspace.keep_evidence(Intent { before, after, old: old.as_deref(), made: new.made, ..intent })
    }

    fn permit(&self, destination: &Destination, entries: u64, bytes: u64) -> Result<Change, ToolError> {
        let replaced = destination.existing.as_ref().filter(|existing| !existing.is_directory());
        let change = Change {
            old_bytes: replaced.map_or(0, |existing| existing.stat.st_size.cast_unsigned()),
            new_bytes: bytes,
            new_files: entries + destination.missing() - u64::from(destination.existing.is_some()),
        };
        self.workspace.permit_change(destination.directory(), change)?;
        Ok(change)
    }
}
