//! `edit_file`: a unified diff (files.md §7).

use std::path::Path;

use tool_core::{ToolError, tool};

use super::edited_file::{EditedFile, FileEdit};
use super::reconcile::reconcile;
use super::revert::revert;
use crate::edit::unified;
use crate::workspace::Workspace;

/// Changes a file by a unified diff: all of its hunks, or nothing.
///
/// Every context and removed line must be in the file exactly, white space included; a hunk whose line numbers are off
/// is applied where it fits, if that is one place only. The counts of each `@@` header must be right. One call changes
/// one file that exists; to create or delete files use `write_file` and `delete_file`.
#[tool(group = "file", aliases = ["edit"], side_effect, idempotent = false, reconcile = reconcile, revert = revert)]
#[example("One line replaced", {
    "path": "notes.txt",
    "patch": "@@ -1,2 +1,2 @@\n Milk\n-Bread\n+Butter\n"
} => { "lines_added": 1, "lines_removed": 1 })]
#[example("A line inserted", { "path": "todo.txt", "patch": "@@ -1,0 +2 @@\n+Dust\n" })]
pub fn edit_file(
    /// The file, relative to the workspace root.
    #[arg(positional, hint = "file")]
    path: &Path,
    /// The unified diff; names in its headers do not choose the file.
    #[arg(positional, stdin, log = "hash")]
    patch: &str,
    /// The version that the file must have, as `read_file` gives it: 16 to 64 hex digits.
    expected_version: Option<&str>,
    #[ctx] workspace: &Workspace,
) -> Result<EditedFile, ToolError> {
    unified::check_size(patch, workspace.limits())?;
    let edit = FileEdit::new(workspace, path, expected_version)?;
    edit.run(|file| unified::apply(file, patch, &edit.name(), workspace.limits()))
}
