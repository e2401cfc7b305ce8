//! `make_dir`: a directory and its parents (files.md §12).

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use tool_core::{ToolError, tool};

use super::reconcile::reconcile;
use super::revert::revert;
use crate::workspace::{Deed, Intent, Parents, Workspace};

/// A directory that is there now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MadeDirectory {
    /// The directory, relative to the workspace root.
    pub path: String,
    /// Whether it is new.
    pub created: bool,
}

/// Makes a directory, and the directories that lead to it.
///
/// One that exists already is fine.
#[tool(group = "file", aliases = ["mkdir"], side_effect, idempotent, reconcile = reconcile, revert = revert)]
#[example("A directory with its parents", { "path": "src/parser/tests" } => { "created": true })]
#[example("A directory beside what is there", { "path": "src/lexer", "parents": false })]
pub fn make_dir(
    /// The directory, relative to the workspace root.
    #[arg(positional, hint = "dir")]
    path: &Path,
    /// Make missing directories on the way.
    #[arg(default = true)]
    parents: bool,
    #[ctx] workspace: &Workspace,
) -> Result<MadeDirectory, ToolError> {
    let path = workspace.resolve(path)?;
    let parents = if parents { Parents::Made } else { Parents::Required };
    let created = workspace.make_directory(&path, parents, |directories| {
        let Some(last) = directories.last() else { return Ok(()) };
        let made = MadeDirectory { path: path.shown(), created: true };
        let made = Intent::new(Deed::Made, last, made);
        workspace.keep_evidence(Intent { made: directories.to_vec(), ..made })
    })?;
    Ok(MadeDirectory { path: path.shown(), created })
}
