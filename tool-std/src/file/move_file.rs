//! `move_file`: another name for a file or directory (files.md §12).

use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Timestamps, fsync, futimens, unlinkat};
use schemars::JsonSchema;
use serde::Serialize;
use tool_core::{ToolError, tool};

use super::list_dir::EntryType;
use super::placing::{Overwrite, Placed, place, replaced};
use super::reconcile::reconcile;
use super::revert::revert;
use crate::workspace::{
    Deed, Destination, HeldDestination, Intent, Named, Operation, Parents, Temporary, Use, Workspace,
    WorkspacePath, refusal,
};

/// What was moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Moved {
    /// Where it was, relative to the workspace root.
    pub from: String,
    /// Where it is now.
    pub to: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: EntryType,
}

/// Moves or renames a file or directory.
///
/// `to` is the new name, never a directory to move into. A link is moved itself.
#[tool(group = "file", aliases = ["move"], side_effect, idempotent = false, reconcile = reconcile, revert = revert)]
#[example("A file renamed", { "from": "notes.txt", "to": "archive/notes.txt", "parents": true })]
#[example("A file put in the place of another", {
    "from": "config.new.toml", "to": "config.toml", "overwrite": true
} => { "to": "config.toml", "type": "file" })]
pub fn move_file(
    /// What to move, relative to the workspace root.
    #[arg(positional, hint = "path")]
    from: &Path,
    /// Its new name, relative to the workspace root.
    #[arg(positional, hint = "path")]
    to: &Path,
    /// Replace a file that has the name.
    overwrite: bool,
    /// Make missing directories.
    parents: bool,
    #[ctx] workspace: &Workspace,
) -> Result<Moved, ToolError> {
    let (from, to) = (workspace.resolve(from)?, workspace.resolve(to)?);
    workspace.may_write()?;
    let source = workspace.named(&from, Use::Write)?;
    let given = from.given();
    workspace.permit_removal(given, &source.file)?;
    let kind = source.file.kind();
    if kind == FileType::Symlink {
        // A link that leads outside is not spread.
        workspace.locate(&from)?;
    }
    if from.names_directory() && kind != FileType::Directory {
        return Err(refusal::not_a_directory(given));
    }
    let placed = Placed { relative: source.relative(), file: &source.file };
    let destination = place(workspace, placed, &to, Overwrite::from(overwrite))?;
    workspace.permit_moved_tree(&from, &source.file, &destination.relative)?;
    let parents = if parents { Parents::Made } else { Parents::Required };
    let moved = Moved { from: from.shown(), to: to.shown(), kind: kind.into() };
    Moving { workspace, from: &from, to: &to, source: &source, moved: &moved }.run(destination, parents)?;
    Ok(moved)
}

/// A move with everything checked.
struct Moving<'a> {
    workspace: &'a Workspace,
    from: &'a WorkspacePath,
    to: &'a WorkspacePath,
    source: &'a Named,
    moved: &'a Moved,
}

impl Moving<'_> {
    fn run(&self, destination: Destination, parents: Parents) -> Result<(), ToolError> {
        let (given, source) = (self.from.given(), self.source);
        let identity = (source.file.stat.st_dev, source.file.stat.st_ino);
        let is_same_file = destination
            .existing
            .as_ref()
            .is_some_and(|existing| (existing.stat.st_dev, existing.stat.st_ino) == identity);
        let (relative, (before, old)) =
            (destination.relative.clone(), replaced(self.workspace, &destination)?);
        let mut held = destination.hold(self.workspace, parents, Some(source.parent()))?;
        self.workspace.require_same(given, source)?;
        self.workspace.keep_evidence(Intent {
            from: Some(source.relative()),
            before,
            after: Some(self.workspace.seen(&source.file).map_err(|error| refusal::io(given, &error))?),
            old: old.as_deref(),
            made: held.made(),
            ..Intent::new(Deed::Moved, &relative, self.moved)
        })?;
        if is_same_file {
            // Two names of one file: a rename between them would do nothing.
            self.unlink_source()?;
        } else {
            match held.rename_here(source.directory(), &source.name) {
                Err(error) if error.code_str() == "cross_device" => self.across(&mut held, error)?,
                renamed => renamed?,
            }
        }
        self.workspace.sync_names(given, source.parent())
    }

    fn unlink_source(&self) -> Result<(), ToolError> {
        let remove = |()| unlinkat(self.source.directory(), self.source.name.as_slice(), AtFlags::empty());
        let removed = self.workspace.faults().before(Operation::Remove).and_then(remove);
        removed.map_err(|errno| refusal::system(self.from.given(), errno))
    }

    /// To another file system: a file is copied, made durable and deleted; anything else stays.
    fn across(&self, held: &mut HeldDestination, refused: ToolError) -> Result<(), ToolError> {
        let file = &self.source.file;
        if file.kind() != FileType::RegularFile {
            return Err(refused);
        }
        let (failed, faults) = (|errno| refusal::system(self.to.given(), errno), self.workspace.faults());
        let open = file.reopen(OFlags::RDONLY).map_err(|errno| refusal::system(self.from.given(), errno))?;
        let directory = held.open_directory()?;
        let temporary = Temporary::create(faults.clone(), directory.as_fd(), Mode::RUSR | Mode::WUSR);
        let temporary = temporary.map_err(failed)?;
        self.workspace.copy_content(self.from.given(), open, &file.stat, &temporary.file)?;
        let times = Timestamps {
            last_access: rustix::fs::Timespec {
                tv_sec: file.stat.st_atime,
                tv_nsec: nanoseconds(file.stat.st_atime_nsec),
            },
            last_modification: rustix::fs::Timespec {
                tv_sec: file.stat.st_mtime,
                tv_nsec: nanoseconds(file.stat.st_mtime_nsec),
            },
        };
        let timed = faults.before(Operation::SetMode).and_then(|()| futimens(&temporary.file, &times));
        timed.map_err(failed)?;
        faults.before(Operation::Sync).and_then(|()| fsync(&temporary.file)).map_err(failed)?;
        held.rename_here(directory.as_fd(), temporary.name().as_bytes())?;
        temporary.keep();
        self.unlink_source()
    }
}

fn nanoseconds(value: impl TryInto<i64>) -> i64 {
    value.try_into().unwrap_or(0)
}
