//! `file_exists`: whether something is there, and what (files.md §12).

use std::path::Path;

use rustix::fs::FileType;
use schemars::JsonSchema;
use serde::Serialize;
use tool_core::{ToolError, tool};

use super::list_dir::EntryType;
use crate::workspace::{Use, Workspace, WorkspacePath};

/// Whether something is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Existence {
    /// Whether something has this name.
    pub exists: bool,
    /// What it is, links followed; a link that leads nowhere is a link.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<EntryType>,
}

/// Tells whether a path exists, and whether it is a file or a directory.
///
/// A path that may not be looked at is an error, not `false`.
#[tool(group = "file", aliases = ["exists"])]
#[example("Is there a manifest?", { "path": "Cargo.toml" } => { "exists": true, "type": "file" })]
#[example("Is there a directory of this name?", { "path": "src/" })]
pub fn file_exists(
    /// The path, relative to the workspace root.
    #[arg(positional, hint = "path")]
    path: &Path,
    #[ctx] workspace: &Workspace,
) -> Result<Existence, ToolError> {
    let path = workspace.resolve(path)?;
    let kind = match kind(workspace, &path) {
        Ok(kind) => kind.filter(|kind| !path.names_directory() || *kind == FileType::Directory),
        Err(error) if error.code_str() == "not_a_directory" => None,
        Err(error) => return Err(error),
    };
    Ok(Existence { exists: kind.is_some(), kind: kind.map(EntryType::from) })
}

/// What is behind a path, or the link that has it as its name and leads nowhere.
fn kind(workspace: &Workspace, path: &WorkspacePath) -> Result<Option<FileType>, ToolError> {
    let found = match workspace.existing(path, Use::List) {
        Err(error) if error.code_str() == "path_not_found" => workspace.unfollowed(path, Use::List),
        found => found,
    };
    match found {
        Ok(file) => Ok(Some(FileType::from_raw_mode(file.stat.st_mode))),
        Err(error) if error.code_str() == "path_not_found" => Ok(None),
        Err(error) => Err(error),
    }
}
