//! `search_files`: lines that match a regular expression, in a file or below a directory (files.md §11).

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{IssueCode, ToolError, ToolOutput, tool};

use super::matches::Wanted;
use super::misfit::misfit;
use super::pattern::{Syntax, matcher};
use super::search::{FileFilter, Search, label};
use super::search_result::{Room, SearchResult};
use crate::limits::{SEARCH_RESULTS, asked};
use crate::workspace::{WalkOptions, Workspace};

/// What is given of each file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchOutput {
    /// The matching lines.
    #[default]
    Matches,
    /// The paths of the files that match.
    Files,
    /// The number of matching lines of each file that matches.
    Counts,
}

/// The order of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchSort {
    /// By path.
    #[default]
    Path,
    /// The newest first.
    Modified,
    /// As they come; the fastest.
    None,
}

/// Searches files for lines that match a regular expression.
///
/// Binary, hidden and ignored files are passed over; links are not followed. The result is the same on every run.
#[tool(group = "file", aliases = ["grep"], paged, output = SearchResult, tags = ["allow:int-53-bits", "allow:params-many"])]
#[example("Where a function is defined", { "pattern": "fn main\\b", "types": ["rust"] } => { "matched_lines": 1 })]
#[example("A text with its surroundings", { "pattern": "a.b(c)", "literal": true, "context": 2 })]
pub fn search_files(
    /// A regular expression in the syntax of Rust's `regex` crate: no look-around, no back-references.
    #[arg(positional, len = ..=8_192)]
    pattern: &str,
    /// A directory or file, relative to the workspace root.
    #[arg(positional, hint = "path", default = ".")]
    path: &Path,
    /// The pattern is plain text.
    #[arg(short = 'F')]
    literal: bool,
    /// Case does not matter.
    #[arg(short = 'i')]
    ignore_case: bool,
    /// Case matters only if the pattern has upper case.
    #[arg(short = 'S')]
    smart_case: bool,
    /// Match whole words only.
    #[arg(short = 'w')]
    word: bool,
    /// Give the lines that do not match.
    invert: bool,
    /// A match may span lines; `.` crosses lines only with `(?s)`.
    #[arg(short = 'U')]
    multiline: bool,
    /// Lines of context before a match.
    #[arg(short = 'B', range = 0..=20, default = 0)]
    before: u64,
    /// Lines of context after a match.
    #[arg(short = 'A', range = 0..=20, default = 0)]
    after: u64,
    /// Lines of context on both sides.
    #[arg(short = 'C', range = 0..=20, default = 0)]
    context: u64,
    /// Globs of files to search; with a leading `!`, of files to leave out. Without `/` they are about the name.
    #[arg(short = 'g')]
    glob: &[String],
    /// Names of file types to search, such as `rust`.
    #[arg(short = 't')]
    types: &[String],
    /// Names of file types to leave out.
    #[arg(short = 'T')]
    types_not: &[String],
    /// Search hidden files too.
    hidden: bool,
    /// Obey ignore files.
    #[arg(default = true)]
    gitignore: bool,
    /// What to give of each file.
    #[arg(default)]
    output: SearchOutput,
    /// The order of the files.
    #[arg(default)]
    sort: SearchSort,
    /// Maximum number of matching lines, or of files.
    #[arg(short = 'm', range = 1..=10_000, default = 1_000)]
    max_results: u64,
    /// Maximum number of matching lines of one file.
    #[arg(range = 1..)]
    max_per_file: Option<u64>,
    /// `auto` (by the byte-order mark, else bytes as they are), or a label of the Encoding Standard.
    #[arg(default = "auto")]
    encoding: &str,
    #[ctx] workspace: &Workspace,
) -> Result<ToolOutput, ToolError> {
    let limits = workspace.limits();
    for (parameter, lines) in [("before", before), ("after", after), ("context", context)] {
        if lines > limits.search_context_max {
            let expected = format!("integer of at most {}", limits.search_context_max);
            return Err(misfit(IssueCode::Range, parameter, &expected, format!("integer {lines}")));
        }
    }
    let syntax = Syntax { literal, ignore_case, smart_case, word, multiline };
    let lists_lines = output == SearchOutput::Matches;
    let wanted = Wanted {
        before: if lists_lines { before.max(context) } else { 0 },
        after: if lists_lines { after.max(context) } else { 0 },
        only_count: !lists_lines,
        invert,
        multiline,
        ..Wanted::within(limits)
    };
    let search = Search {
        workspace,
        matcher: matcher(pattern, syntax, limits)?,
        encoding: label(encoding, workspace.limits())?,
        filter: FileFilter::new(glob, types, types_not, workspace)?,
        wanted,
        room: Room {
            output,
            results: asked(max_results, SEARCH_RESULTS, limits.search_results, limits.search_results_max)
                as u64,
            bytes: limits.max_read_bytes,
        },
        max_per_file: max_per_file.unwrap_or(u64::MAX),
    };
    let path = workspace.resolve(path)?;
    let options = WalkOptions { hidden, gitignore, ..WalkOptions::default() };
    let result = search.run(&path, options, sort)?;
    Ok(result.into_output(wanted.before > 0 || wanted.after > 0))
}
