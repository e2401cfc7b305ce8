//! What a search answers: matches, files or counts within the budgets of one result, and its text form.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tool_core::{Content as Block, ToolOutput};

use super::matches::{Found, LineMatch};
use super::report;
use super::search_files::SearchOutput;
use crate::workspace::{Truncation, UnreadablePlace, Walk};

/// How many lines of a file match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileCount {
    /// The file, relative to the workspace root.
    pub path: String,
    /// Matching lines.
    pub lines: u64,
}

/// Files that were not searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkippedFiles {
    /// They have a NUL byte.
    pub binary: u64,
    /// They are larger than a searched file may be.
    pub too_large: u64,
    /// They have a line longer than a searched line may be.
    pub long_line: u64,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SearchResult {
    /// The matching lines, with `output = matches`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-log" = "hash"))]
    pub matches: Option<Vec<LineMatch>>,
    /// The files that match, with `output = files`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// Matching lines per file, with `output = counts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Vec<FileCount>>,
    /// Matching lines of this result.
    pub matched_lines: u64,
    /// Files searched to their end.
    pub files_searched: u64,
    /// Files that were not searched.
    pub skipped: SkippedFiles,
    /// Files and directories that could not be read.
    pub unreadable: u64,
    /// The first of those.
    pub errors: Vec<UnreadablePlace>,
    /// Whether there may be more.
    pub truncated: bool,
    /// The budget that was spent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated_by: Option<Truncation>,
    /// Bytes of paths and texts so far.
    #[serde(skip)]
    bytes: u64,
}

/// What a result may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// What it lists.
    pub(crate) output: SearchOutput,
    /// How many of them.
    pub(crate) results: u64,
    /// Bytes of paths and texts.
    pub(crate) bytes: u64,
}

impl SearchResult {
    pub(crate) fn new(output: SearchOutput) -> Self {
        let mut result = Self::default();
        match output {
            SearchOutput::Matches => result.matches = Some(Vec::new()),
            SearchOutput::Files => result.files = Some(Vec::new()),
            SearchOutput::Counts => result.counts = Some(Vec::new()),
        }
        result
    }

    /// How much of `max_results` is used.
    pub(crate) fn listed(&self) -> u64 {
        let listed = [
            self.matches.as_ref().map(Vec::len),
            self.files.as_ref().map(Vec::len),
            self.counts.as_ref().map(Vec::len),
        ];
        listed.into_iter().flatten().sum::<usize>() as u64
    }

    /// Takes what a file gave, as far as the budgets go.
    pub(crate) fn add(&mut self, path: String, found: Found, room: Room) {
        if found.count == 0 && !found.more {
            return;
        }
        match room.output {
            SearchOutput::Matches => self.add_matches(&path, found, room),
            SearchOutput::Files | SearchOutput::Counts => self.add_file(path, found.count, room),
        }
    }

    fn add_matches(&mut self, path: &str, mut found: Found, room: Room) {
        let left = usize::try_from(room.results.saturating_sub(self.listed())).unwrap_or(usize::MAX);
        found.more |= found.matches.len() > left;
        found.matches.truncate(left);
        let is_full = self.listed() + found.matches.len() as u64 >= room.results;
        if found.binary {
            self.matched_lines += found.count;
        }
        for mut one in found.matches {
            one.path = path.to_owned();
            if !self.spend(one.bytes(), room) {
                return;
            }
            self.matched_lines += u64::from(!one.binary);
            self.matches.get_or_insert_default().push(one);
        }
        if found.more && is_full {
            self.truncated_by = Some(Truncation::Limit);
        }
    }

    fn add_file(&mut self, path: String, lines: u64, room: Room) {
        if self.listed() >= room.results {
            self.truncated_by = Some(Truncation::Limit);
            return;
        }
        if !self.spend(path.len() as u64, room) {
            return;
        }
        self.matched_lines += lines;
        match &mut self.files {
            Some(files) => files.push(path),
            None => self.counts.get_or_insert_default().push(FileCount { path, lines }),
        }
    }

    /// Counts bytes against the size of a result; false when they do not fit.
    fn spend(&mut self, bytes: u64, room: Room) -> bool {
        self.bytes += bytes;
        let fits = self.bytes <= room.bytes;
        if !fits {
            self.truncated_by = Some(Truncation::Bytes);
        }
        fits
    }

    pub(crate) fn finished(mut self, mut walk: Walk<'_>) -> Self {
        self.truncated_by = self.truncated_by.or(walk.truncated());
        self.truncated = self.truncated_by.is_some();
        let unreadable = std::mem::take(walk.unreadable());
        self.unreadable = unreadable.count;
        self.errors = unreadable.first;
        self
    }

    pub(crate) fn into_output(mut self, with_context: bool) -> ToolOutput {
        self.truncated = self.truncated_by.is_some();
        let block = Block::text(self.text(with_context));
        ToolOutput::structured(serde_json::to_value(self).unwrap_or(Value::Null)).with_content(block)
    }

    /// The form for models and terminals.
    fn text(&self, with_context: bool) -> String {
        let mut lines = Vec::new();
        lines.extend(self.files.iter().flatten().cloned());
        lines.extend(self.counts.iter().flatten().map(|one| format!("{}:{}", one.path, one.lines)));
        if let Some(matches) = &self.matches {
            lines.extend(report::lines(matches, with_context));
        }
        if let Some(by) = self.truncated_by {
            lines.push(format!("[truncated: {}]", by.as_str()));
        }
        lines.join("\n")
    }
}
