//! `list_dir`: the entries of a directory, page by page (files.md §10).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;

use rustix::fs::{FileType, Stat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{IssueCode, ToolError, tool};

use super::cursor;
use super::globs::{self, Globs};
use super::misfit::{misfit, text};
use super::modified::modified;
use crate::limits::{LIST_LIMIT, asked};
use crate::workspace::{
    Entry, GitDirectories, Skipped, Truncation, UnreadablePlace, Walk, WalkOptions, Workspace, shown,
};

/// The order of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListSort {
    /// By path.
    #[default]
    Name,
    /// The largest first.
    Size,
    /// The newest first.
    Modified,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntryType {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link, not followed.
    Symlink,
    /// Anything else: a FIFO, a socket, a device.
    Other,
}

impl From<FileType> for EntryType {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => EntryType::File,
            FileType::Directory => EntryType::Dir,
            FileType::Symlink => EntryType::Symlink,
            _ => EntryType::Other,
        }
    }
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedEntry {
    /// Its name.
    pub name: String,
    /// Its path, relative to the workspace root.
    pub path: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: EntryType,
    /// Bytes of a file; null for anything else.
    pub size: Option<u64>,
    /// When it was modified last: RFC 3339, UTC.
    pub modified: String,
    /// Where a link leads, as it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// A page of a directory.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DirectoryList {
    /// The directory, relative to the workspace root.
    pub path: String,
    /// The entries.
    pub entries: Vec<ListedEntry>,
    /// Whether there may be more.
    pub truncated: bool,
    /// The budget that was spent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated_by: Option<Truncation>,
    /// Give it as `cursor` for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Entries that were left out.
    pub skipped: Skipped,
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

/// Lists the entries of a directory, with type, size and time.
///
/// Links are shown and not followed. To look for files by name in a whole tree use `find_files`.
#[tool(group = "file", aliases = ["ls"], paged, tags = ["allow:params-many"])]
#[example("The sources of a crate", { "path": "src", "pattern": "*.rs", "depth": 3 } => { "path": "src", "truncated": false })]
#[example("The ten largest files", { "sort": "size", "limit": 10 })]
pub fn list_dir(
    /// The directory, relative to the workspace root.
    #[arg(positional, hint = "dir", default = ".")]
    path: &Path,
    /// A glob that names must match; directories are looked into all the same.
    pattern: Option<&str>,
    /// Levels to go down.
    #[arg(short = 'd', range = 1..=128, default = 1)]
    depth: u64,
    /// Show names that begin with a dot.
    #[arg(short = 'a')]
    hidden: bool,
    /// Leave out what ignore files name.
    gitignore: bool,
    /// The order of the entries.
    #[arg(default)]
    sort: ListSort,
    /// Maximum number of entries.
    #[arg(short = 'n', range = 1..=10_000, default = 1_000)]
    limit: u64,
    /// `next_cursor` of the page before; only with `sort = name`.
    cursor: Option<&str>,
    #[ctx] workspace: &Workspace,
) -> Result<DirectoryList, ToolError> {
    let names = pattern.map(|pattern| name_glob(pattern, workspace)).transpose()?;
    let after = cursor.map(|cursor| page_start(cursor, sort)).transpose()?;
    let limits = workspace.limits();
    let limit = asked(limit, LIST_LIMIT, limits.list_limit, limits.list_limit_max);
    let path = workspace.resolve(path)?;
    let options = WalkOptions {
        depth,
        hidden,
        gitignore,
        git: GitDirectories::Listed,
        after,
        ..WalkOptions::default()
    };
    let walk = workspace.walk(&path, options)?;
    let matching = Matching { walk, names };
    let page = match sort {
        ListSort::Name => matching.first(limit)?,
        ListSort::Size => matching.greatest(limit, |stat, kind| size(stat, kind).unwrap_or_default())?,
        ListSort::Modified => matching.greatest(limit, |stat, _| (stat.st_mtime, stat.st_mtime_nsec))?,
    };
    Ok(DirectoryList { path: path.shown(), ..page })
}

/// A glob on names alone.
fn name_glob(pattern: &str, workspace: &Workspace) -> Result<Globs, ToolError> {
    if pattern.contains('/') || pattern.contains("..") {
        let why = "it is about names, without `/` and `..`";
        return Err(globs::invalid(pattern, why, workspace.limits()).hint("use find_files"));
    }
    Globs::new(&[pattern], false, workspace.limits())
}

fn page_start(cursor: &str, sort: ListSort) -> Result<crate::workspace::Relative, ToolError> {
    match sort {
        ListSort::Name => cursor::decode(cursor),
        _ => Err(misfit(IssueCode::Constraint, "cursor", "only with `sort` = name", text(cursor))),
    }
}

/// The entries of a walk that match.
struct Matching<'w> {
    walk: Walk<'w>,
    names: Option<Globs>,
}

impl Matching<'_> {
    fn advance(&mut self) -> Result<Option<(Entry, Stat)>, ToolError> {
        while let Some(entry) = self.walk.advance()? {
            let matches = self.names.as_ref().is_none_or(|names| names.match_entry(entry.name()));
            // An entry that is gone by now is no entry.
            if matches && let Ok(stat) = entry.stat() {
                return Ok(Some((entry, stat)));
            }
        }
        Ok(None)
    }

    /// The first entries in the order of the walk.
    fn first(mut self, limit: usize) -> Result<DirectoryList, ToolError> {
        let mut entries = Vec::new();
        let mut last = Vec::new();
        let mut is_full = false;
        while let Some((entry, stat)) = self.advance()? {
            if entries.len() == limit {
                is_full = true;
                break;
            }
            last = entry.below_start().to_vec();
            entries.push(listed(&entry, &stat));
        }
        let mut page = self.page(entries, is_full);
        // Behind a directory that was read in part there is no place to go on from.
        let has_place = matches!(page.truncated_by, Some(Truncation::Limit | Truncation::Time));
        page.next_cursor = (has_place && !last.is_empty()).then(|| cursor::encode(&last));
        Ok(page)
    }

    /// The greatest entries by a key; equal ones in the order of the walk.
    fn greatest<K: Ord>(
        mut self,
        limit: usize,
        key: impl Fn(&Stat, FileType) -> K,
    ) -> Result<DirectoryList, ToolError> {
        let mut heap: BinaryHeap<Reverse<Ranked<K>>> = BinaryHeap::new();
        let mut is_full = false;
        let mut place = 0;
        while let Some((entry, stat)) = self.advance()? {
            place += 1;
            let rank = (key(&stat, entry.kind), Reverse(place));
            if heap.len() == limit {
                is_full = true;
                if heap.peek().is_some_and(|Reverse(least)| least.rank >= rank) {
                    continue;
                }
                heap.pop();
            }
            heap.push(Reverse(Ranked { rank, entry: listed(&entry, &stat) }));
        }
        let entries = heap.into_sorted_vec().into_iter().map(|Reverse(ranked)| ranked.entry).collect();
        Ok(self.page(entries, is_full))
    }

    fn page(mut self, entries: Vec<ListedEntry>, is_full: bool) -> DirectoryList {
        let spent = self.walk.truncated();
        let by_walk = spent.filter(|by| *by != Truncation::Depth);
        let truncated_by = by_walk.or(is_full.then_some(Truncation::Limit)).or(spent);
        let unreadable = std::mem::take(self.walk.unreadable());
        DirectoryList {
            path: String::new(),
            entries,
            truncated: truncated_by.is_some(),
            truncated_by,
            next_cursor: None,
            skipped: self.walk.skipped(),
            unreadable: unreadable.count,
            errors: unreadable.first,
        }
    }
}

/// An entry with its rank: the greater key, then the earlier place.
struct Ranked<K> {
    rank: (K, Reverse<u64>),
    entry: ListedEntry,
}

impl<K: Ord> Ord for Ranked<K> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

impl<K: Ord> PartialOrd for Ranked<K> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Ord> PartialEq for Ranked<K> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<K: Ord> Eq for Ranked<K> {}

fn size(stat: &Stat, kind: FileType) -> Option<u64> {
    (kind == FileType::RegularFile).then(|| stat.st_size.cast_unsigned())
}

fn listed(entry: &Entry, stat: &Stat) -> ListedEntry {
    ListedEntry {
        name: shown(entry.name()),
        path: entry.shown(),
        kind: entry.kind.into(),
        size: size(stat, entry.kind),
        modified: modified(stat),
        target: (entry.kind == FileType::Symlink)
            .then(|| entry.target())
            .flatten()
            .map(|target| shown(&target)),
    }
}
