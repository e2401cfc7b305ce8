//! `delete_file`: a file, or a tree (files.md §12).

use std::path::Path;

use rustix::fs::{AtFlags, FileType, RenameFlags, renameat_with, unlinkat};
use rustix::io::Errno;
use schemars::JsonSchema;
use serde::Serialize;
use tool_core::{Effect, ToolError, tool};

use super::reconcile::reconcile;
use crate::workspace::{
    Change, Deed, Intent, Named, Operation, Purpose, Seen, TemporaryTree, Use, Workspace, WorkspacePath,
    refusal,
};

/// What was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Deleted {
    /// Whether something was there.
    pub deleted: bool,
    /// How many files and directories are gone.
    pub entries: u64,
}

/// Deletes a file, an empty directory, or with `recursive` a directory and everything in it.
///
/// A link is deleted, not what it leads to. This cannot be undone.
#[tool(group = "file", aliases = ["delete"], destructive, idempotent = false, reconcile = reconcile)]
#[example("A file that may be gone already", { "path": "target.log", "missing_ok": true })]
#[example("A directory with everything in it", { "path": "target", "recursive": true } => { "deleted": true })]
pub fn delete_file(
    /// The file or directory, relative to the workspace root.
    #[arg(positional, hint = "path")]
    path: &Path,
    /// Delete a directory with everything in it.
    #[arg(short = 'r')]
    recursive: bool,
    /// It is no error when nothing is there.
    missing_ok: bool,
    #[ctx] workspace: &Workspace,
) -> Result<Deleted, ToolError> {
    let path = workspace.resolve(path)?;
    workspace.may_write()?;
    let deleting = match workspace.named(&path, Use::Write) {
        Err(error) if missing_ok && error.code_str() == "path_not_found" => {
            return Ok(Deleted { deleted: false, entries: 0 });
        }
        named => Deleting { workspace, path: &path, named: named? },
    };
    let entries = deleting.run(recursive)?;
    Ok(Deleted { deleted: true, entries })
}

/// What is being deleted.
struct Deleting<'a> {
    workspace: &'a Workspace,
    path: &'a WorkspacePath,
    named: Named,
}

impl Deleting<'_> {
    fn run(&self, recursive: bool) -> Result<u64, ToolError> {
        let (given, named) = (self.path.given(), &self.named);
        self.workspace.permit_removal(given, &named.file)?;
        if self.path.names_directory() && !named.file.is_directory() {
            return Err(refusal::not_a_directory(given));
        }
        let _held = self.workspace.hold_all(given, &[Some(named.parent())])?;
        self.workspace.require_same(given, named)?;
        match (named.file.is_directory(), recursive) {
            (true, true) => self.tree(),
            (true, false) => self.name(AtFlags::REMOVEDIR, 0),
            (false, _) => {
                let is_file = named.file.kind() == FileType::RegularFile && named.file.stat.st_nlink == 1;
                self.name(AtFlags::empty(), if is_file { named.file.stat.st_size.cast_unsigned() } else { 0 })
            }
        }
    }

    /// Takes the name away.
    fn name(&self, flags: AtFlags, bytes: u64) -> Result<u64, ToolError> {
        let given = self.path.given();
        self.keep_evidence(1)?;
        let unlink = |()| unlinkat(self.named.directory(), self.named.name.as_slice(), flags);
        self.workspace.faults().before(Operation::Remove).and_then(unlink).map_err(|errno| match errno {
            Errno::NOTEMPTY | Errno::EXIST => {
                refusal::directory_not_empty(given).hint("set recursive = true to delete everything in it")
            }
            errno => refusal::system(given, errno),
        })?;
        self.gone(bytes)?;
        Ok(1)
    }

    /// Renames the tree to a temporary name, so that it is gone at once, and empties it there.
    fn tree(&self) -> Result<u64, ToolError> {
        let (given, named) = (self.path.given(), &self.named);
        let measure = self.workspace.measure_tree(self.path, &named.file, Purpose::Delete)?;
        let (failed, faults) = (|errno| refusal::system(given, errno), self.workspace.faults());
        let temporary = TemporaryTree::name_in(faults.clone(), named.directory()).map_err(failed)?;
        let (directory, from) = (named.directory(), named.name.as_slice());
        self.keep_evidence(measure.entries)?;
        let rename = |()| renameat_with(directory, from, directory, temporary.name(), RenameFlags::empty());
        faults.before(Operation::Rename).and_then(rename).map_err(failed)?;
        // What cannot be removed now is removed when a workspace is opened later.
        let emptied = temporary.remove();
        self.gone(measure.bytes)?;
        emptied.map_err(|errno| {
            let hint = "it is gone under its name; what is left of it is not listed any more";
            failed(errno).hint(hint).effect(Effect::Done)
        })?;
        Ok(measure.entries)
    }

    fn keep_evidence(&self, entries: u64) -> Result<(), ToolError> {
        let deleted = Deleted { deleted: true, entries };
        let intent = Intent::new(Deed::Deleted, self.named.relative(), deleted);
        self.workspace.keep_evidence(Intent { before: Some(Seen::of(&self.named.file.stat)), ..intent })
    }

    fn gone(&self, bytes: u64) -> Result<(), ToolError> {
        self.workspace.note_change(Change { old_bytes: bytes, ..Change::default() });
        self.workspace.sync_names(self.path.given(), self.named.parent())
    }
}
