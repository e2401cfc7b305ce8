//! `find_files`: paths that match a glob (files.md §10).

use std::path::Path;

use rustix::fs::{FileType, Stat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{ToolError, tool};

use super::globs::Globs;
use super::list_dir::EntryType;
use super::modified::modified;
use super::{crew, cursor};
use crate::limits::{LIST_LIMIT, asked};
use crate::workspace::{Entry, Truncation, UnreadablePlace, Walk, WalkOptions, Workspace};

/// What is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindType {
    /// Regular files.
    #[default]
    File,
    /// Directories.
    Dir,
    /// Everything, links too.
    Any,
}

impl FindType {
    fn includes(self, kind: FileType) -> bool {
        match self {
            FindType::File => kind == FileType::RegularFile,
            FindType::Dir => kind == FileType::Directory,
            FindType::Any => true,
        }
    }
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundFile {
    /// Its path, relative to the workspace root.
    pub path: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: EntryType,
    /// Bytes of a file; null for anything else.
    pub size: Option<u64>,
    /// When it was modified last: RFC 3339, UTC.
    pub modified: String,
}

/// A page of what was found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FoundFiles {
    /// What matches, by path.
    pub files: Vec<FoundFile>,
    /// Whether there may be more.
    pub truncated: bool,
    /// The budget that was spent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated_by: Option<Truncation>,
    /// Give it as `cursor` for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Directories that could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub unreadable: u64,
    /// The first of those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<UnreadablePlace>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Finds files by a glob on their name or path.
///
/// A glob without `/` is about the name, at any depth; with `/` it is about the path below `path`, where `**` stands for
/// any number of directories. Hidden files and what ignore files name are left out unless asked for. To look for text
/// inside files use `search_files`.
#[tool(group = "file", aliases = ["find"], paged, tags = ["allow:params-many"])]
#[example("All Rust sources below src", { "pattern": "src/**/*.rs" })]
#[example("A file by its name, wherever it is", { "pattern": "Cargo.toml" } => { "truncated": false })]
pub fn find_files(
    /// The glob.
    #[arg(positional)]
    pattern: &str,
    /// The directory to look in, relative to the workspace root.
    #[arg(positional, hint = "dir", default = ".")]
    path: &Path,
    /// What to find.
    #[arg(name = "type", short = 't', default)]
    kind: FindType,
    /// Globs of what to leave out; a directory is left out with all that is in it.
    exclude: &[String],
    /// Ignore the case of letters.
    #[arg(short = 'i')]
    ignore_case: bool,
    /// Look at names that begin with a dot.
    #[arg(short = 'a')]
    hidden: bool,
    /// Leave out what ignore files name.
    #[arg(default = true)]
    gitignore: bool,
    /// Maximum number of results.
    #[arg(short = 'n', range = 1..=10_000, default = 1_000)]
    limit: u64,
    /// `next_cursor` of the page before.
    cursor: Option<&str>,
    #[ctx] workspace: &Workspace,
) -> Result<FoundFiles, ToolError> {
    let limits = workspace.limits();
    let exclude: Vec<&str> = exclude.iter().map(String::as_str).collect();
    let wanted = Wanted {
        globs: Globs::new(&[pattern], ignore_case, limits)?,
        exclude: Globs::new(&exclude, ignore_case, limits)?,
        kind,
    };
    let after = cursor.map(cursor::decode).transpose()?;
    let limit = asked(limit, LIST_LIMIT, limits.list_limit, limits.list_limit_max);
    let path = workspace.resolve(path)?;
    let options = WalkOptions { hidden, gitignore, after, ..WalkOptions::default() };
    wanted.page(workspace.walk(&path, options)?, limit)
}

/// What a search keeps.
struct Wanted {
    globs: Globs,
    exclude: Globs,
    kind: FindType,
}

impl Wanted {
    /// The next entry that is wanted, and how many places could not be read before it.
    fn advance(&self, walk: &mut Walk<'_>) -> Result<Option<(Entry, u64)>, ToolError> {
        while let Some(entry) = walk.advance()? {
            let path = entry.below_start();
            let is_wanted = self.kind.includes(entry.kind)
                && self.globs.match_entry(path)
                && !self.exclude.match_entry_or_above(path);
            if is_wanted {
                let unreadable = walk.unreadable().count;
                return Ok(Some((entry, unreadable)));
            }
        }
        Ok(None)
    }

    fn page(&self, mut walk: Walk<'_>, limit: usize) -> Result<FoundFiles, ToolError> {
        let mut files = Vec::new();
        let mut last = Vec::new();
        let mut is_full = false;
        // What is gone by now is not found.
        let look = |(): &mut (), (entry, unreadable): (Entry, u64)| {
            let file = entry.stat().ok().map(|stat| found(&entry, &stat));
            Ok(file.map(|file| (file, entry.below_start().to_vec(), unreadable)))
        };
        let mut unreadable_before = u64::MAX;
        let take = |found: Option<(FoundFile, Vec<u8>, u64)>| {
            let Some((file, path, unreadable)) = found else { return true };
            is_full = files.len() == limit;
            if is_full {
                unreadable_before = unreadable;
            } else {
                last = path;
                files.push(file);
            }
            !is_full
        };
        crew::run(|| self.advance(&mut walk), || (), look, take)?;
        let spent = walk.truncated();
        let by_walk = spent.filter(|by| *by != Truncation::Depth);
        let truncated_by = is_full.then_some(Truncation::Limit).or(by_walk).or(spent);
        // Behind a directory that was read in part there is no place to go on from.
        let has_place = matches!(truncated_by, Some(Truncation::Limit | Truncation::Time));
        let mut unreadable = std::mem::take(walk.unreadable());
        unreadable.cut(unreadable_before);
        Ok(FoundFiles {
            files,
            truncated: truncated_by.is_some(),
            truncated_by,
            next_cursor: (has_place && !last.is_empty()).then(|| cursor::encode(&last)),
            unreadable: unreadable.count,
            errors: unreadable.first,
        })
    }
}

fn found(entry: &Entry, stat: &Stat) -> FoundFile {
    FoundFile {
        path: entry.shown(),
        kind: entry.kind.into(),
        size: (entry.kind == FileType::RegularFile).then(|| stat.st_size.cast_unsigned()),
        modified: modified(stat),
    }
}
