//! `edit_lines`: lines by number (files.md §9).

use std::path::Path;

use tool_core::{ToolError, tool};

use super::edited_file::{EditedFile, FileEdit};
use super::reconcile::reconcile;
use super::revert::revert;
use crate::edit::line_patch::{self, LinePatch};
use crate::workspace::Workspace;

/// Replaces, inserts or deletes lines by number; all numbers mean the file as it is before the call.
///
/// Each patch replaces the lines `start_line` to `end_line`, both included, by `content`; an empty `content` deletes
/// them, and `end_line` = 0 inserts before `start_line`. All patches are applied, or none. Give `expect` or
/// `expected_version` where somebody else may have changed the file since it was read.
#[tool(group = "file", side_effect, idempotent = false, reconcile = reconcile, revert = revert, tags = ["allow:int-53-bits"])]
#[example("Line 2 replaced, a heading inserted", {
    "path": "notes.txt",
    "patches": [
        { "start_line": 2, "end_line": 2, "content": "Butter" },
        { "start_line": 1, "end_line": 0, "content": "# Shopping\n" }
    ]
})]
#[example("A line deleted if it is still what it was", {
    "path": "todo.txt",
    "patches": [{ "start_line": 1, "end_line": 1, "content": "", "expect": "Wash" }]
} => { "lines_added": 0, "lines_removed": 1 })]
pub fn edit_lines(
    /// The file, relative to the workspace root.
    #[arg(positional, hint = "file")]
    path: &Path,
    /// What to change, in any order.
    patches: &[LinePatch],
    /// The version that the file must have, as `read_file` gives it: 16 to 64 hex digits.
    expected_version: Option<&str>,
    #[ctx] workspace: &Workspace,
) -> Result<EditedFile, ToolError> {
    line_patch::check_number(patches, workspace.limits())?;
    let edit = FileEdit::new(workspace, path, expected_version)?;
    edit.run(|file| line_patch::apply(file, patches, workspace.limits()))
}
