//! `replace_text`: an exact text by another (files.md §8).

use std::cell::Cell;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use tool_core::{ToolError, tool};

use super::edited_file::{EditedFile, FileEdit};
use super::reconcile::reconcile;
use super::revert::revert;
use crate::edit::replace::{self, Occurring};
use crate::workspace::Workspace;

/// A file in which a text was replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReplacedText {
    /// The file.
    #[serde(flatten)]
    pub file: EditedFile,
    /// How many occurrences were replaced.
    pub replacements: usize,
}

/// Replaces an exact text in a file; it must occur once, unless `all` is set.
///
/// The text is no pattern, and white space counts. A line end in `old` is found whether the file has LF or CR LF there,
/// and line ends in `new` follow the file.
#[tool(group = "file", side_effect, idempotent = false, reconcile = reconcile, revert = revert)]
#[example("A word in a sentence that occurs once", {
    "path": "notes.txt", "old": "two loaves", "new": "one loaf"
})]
#[example("Every occurrence", {
    "path": "src/main.rs", "old": "println!", "new": "eprintln!", "all": true
} => { "replacements": 2 })]
pub fn replace_text(
    /// The file, relative to the workspace root.
    #[arg(positional, hint = "file")]
    path: &Path,
    /// The text to replace.
    #[arg(positional, stdin, log = "hash")]
    old: &str,
    /// The text to put in its place; empty deletes.
    #[arg(positional, stdin, log = "hash")]
    new: &str,
    /// Replace every occurrence.
    all: bool,
    /// The version that the file must have, as `read_file` gives it: 16 to 64 hex digits.
    expected_version: Option<&str>,
    #[ctx] workspace: &Workspace,
) -> Result<ReplacedText, ToolError> {
    replace::check(old, new)?;
    let occurring = if all { Occurring::All } else { Occurring::Once };
    let replacements = Cell::new(0);
    let engine = |file: &[u8]| {
        let replaced = replace::apply(file, old, new, occurring, workspace.limits())?;
        replacements.set(replaced.replacements);
        Ok(replaced.edited)
    };
    let answer = |file: &EditedFile| {
        let done = ReplacedText { file: file.clone(), replacements: replacements.get() };
        serde_json::to_value(done).unwrap_or_default()
    };
    let file = FileEdit::new(workspace, path, expected_version)?.run_answering(engine, answer)?;
    Ok(ReplacedText { file, replacements: replacements.get() })
}
