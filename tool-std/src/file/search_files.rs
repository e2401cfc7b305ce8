//! `search_files`: lines that match a regular expression, in a file or below a directory (files.md §11).

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Encoding, MmapChoice, Searcher, SearcherBuilder};
use ignore::types::Types;
use rustix::fs::{FileType, OFlags};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::{Content as Block, IssueCode, ToolError, ToolOutput, tool};

use super::encoding::Reading;
use super::globs::Globs;
use super::matches::{Collector, Found, LineMatch, Wanted};
use super::misfit::misfit;
use super::pattern::{Syntax, line_terminator, matcher};
use super::report;
use super::types::selection;
use crate::workspace::{
    Entry, Handle, Relative, Truncation, UnreadablePlace, Use, Walk, WalkOptions, Workspace, WorkspacePath,
    refusal,
};

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

/// Searches files for lines that match a regular expression.
///
/// Binary, hidden and ignored files are passed over; links are not followed. The result is the same on every run.
#[tool(group = "file", aliases = ["grep"], paged, output = SearchResult)]
#[example("Where a function is defined", { "pattern": "fn main\\b", "types": ["rust"] })]
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
        encoding: label(encoding)?,
        filter: FileFilter::new(glob, types, types_not, workspace)?,
        wanted,
        output,
        max_results: max_results.min(limits.search_results_max),
        max_per_file: max_per_file.unwrap_or(u64::MAX),
    };
    let path = workspace.resolve(path)?;
    let options = WalkOptions { hidden, gitignore, ..WalkOptions::default() };
    let result = search.run(&path, options, sort)?;
    Ok(result.into_output(wanted))
}

/// The searcher's encoding; `None` sniffs a byte-order mark.
fn label(encoding: &str) -> Result<Option<Encoding>, ToolError> {
    match Reading::parse(encoding)? {
        Reading::Auto => Ok(None),
        Reading::As(encoding) => Encoding::new(encoding.name())
            .map(Some)
            .map_err(|error| ToolError::internal("The encoding is not known.").source(error)),
    }
}

/// Which files of a walk are searched.
struct FileFilter {
    include: Globs,
    exclude: Globs,
    types: Types,
}

impl FileFilter {
    fn new(
        glob: &[String],
        types: &[String],
        types_not: &[String],
        workspace: &Workspace,
    ) -> Result<Self, ToolError> {
        let (exclude, include): (Vec<&str>, Vec<&str>) =
            glob.iter().map(String::as_str).partition(|glob| glob.starts_with('!'));
        let exclude: Vec<&str> = exclude.iter().filter_map(|glob| glob.strip_prefix('!')).collect();
        Ok(Self {
            include: Globs::new(&include, false, workspace.limits())?,
            exclude: Globs::new(&exclude, false, workspace.limits())?,
            types: selection(types, types_not)?,
        })
    }

    fn keeps(&self, entry: &Entry) -> bool {
        let below = entry.below_start();
        (self.include.is_empty() || self.include.match_entry(below))
            && !self.exclude.match_entry_or_above(below)
            && !self.types.matched(entry.relative.as_path(), false).is_ignore()
    }
}

/// A search with everything checked.
struct Search<'w> {
    workspace: &'w Workspace,
    matcher: RegexMatcher,
    encoding: Option<Encoding>,
    filter: FileFilter,
    wanted: Wanted,
    output: SearchOutput,
    max_results: u64,
    max_per_file: u64,
}

/// Why a file gave nothing.
enum Unsearched {
    TooLarge(u64, u64),
    LongLine,
    Unreadable(ToolError),
}

impl Search<'_> {
    fn run(
        &self,
        path: &WorkspacePath,
        options: WalkOptions,
        sort: SearchSort,
    ) -> Result<SearchResult, ToolError> {
        let handle = self.workspace.existing(path, Use::List)?;
        if FileType::from_raw_mode(handle.stat.st_mode) != FileType::Directory {
            return self.run_on_file(path);
        }
        let walk = self.workspace.walk(path, options)?;
        match sort {
            SearchSort::Modified => self.run_newest_first(walk),
            SearchSort::Path | SearchSort::None => self.run_in_order(walk),
        }
    }

    /// A file that the caller named: what would be passed over in a walk is an error, and a binary file is searched.
    fn run_on_file(&self, path: &WorkspacePath) -> Result<SearchResult, ToolError> {
        let handle = self.workspace.regular_file(path, Use::Read)?;
        let mut result = SearchResult::new(self.output);
        let mut searcher = self.searcher(BinaryDetection::convert(0));
        match self.search_file(&mut searcher, path.given(), &handle, &result)? {
            Ok(mut found) => {
                if found.binary && !found.matches.is_empty() {
                    found.matches = vec![LineMatch { binary: true, ..LineMatch::default() }];
                }
                result.add(path.shown(), found, self);
                result.files_searched = 1;
                Ok(result)
            }
            Err(Unsearched::TooLarge(size, limit)) => Err(refusal::file_too_large(size, limit)),
            Err(Unsearched::LongLine) => Err(refusal::line_too_long(path.given(), self.wanted.line_bytes)),
            Err(Unsearched::Unreadable(error)) => Err(error),
        }
    }

    fn run_in_order(&self, mut walk: Walk<'_>) -> Result<SearchResult, ToolError> {
        let mut result = SearchResult::new(self.output);
        let mut searcher = self.searcher(BinaryDetection::quit(0));
        while result.truncated_by.is_none() {
            let Some(entry) = walk.advance()? else { break };
            if self.is_searched(&entry) {
                let place = Place { relative: entry.relative.clone(), shown: entry.shown() };
                let opened = self.workspace.entry_file(&entry);
                self.search_place(&mut searcher, place, opened, &mut walk, &mut result)?;
            }
        }
        Ok(result.finished(walk))
    }

    fn run_newest_first(&self, mut walk: Walk<'_>) -> Result<SearchResult, ToolError> {
        let mut places = Vec::new();
        while let Some(entry) = walk.advance()? {
            if self.is_searched(&entry)
                && let Ok(stat) = entry.stat()
            {
                let place = Place { relative: entry.relative.clone(), shown: entry.shown() };
                places.push(((stat.st_mtime, stat.st_mtime_nsec), place));
            }
        }
        places.sort_by(|(a, _), (b, _)| b.cmp(a));
        let mut result = SearchResult::new(self.output);
        let mut searcher = self.searcher(BinaryDetection::quit(0));
        for (_, place) in places {
            self.workspace.check()?;
            let opened = self.workspace.file_at(&place.shown, &place.relative);
            self.search_place(&mut searcher, place, opened, &mut walk, &mut result)?;
            if result.truncated_by.is_some() {
                break;
            }
        }
        Ok(result.finished(walk))
    }

    fn is_searched(&self, entry: &Entry) -> bool {
        entry.kind == FileType::RegularFile
            && self.workspace.names().permit(&entry.relative, Use::Read)
            && self.filter.keeps(entry)
    }

    /// Searches a file of a walk; what cannot be searched is counted.
    fn search_place(
        &self,
        searcher: &mut Searcher,
        place: Place,
        opened: Result<Handle, ToolError>,
        walk: &mut Walk<'_>,
        result: &mut SearchResult,
    ) -> Result<(), ToolError> {
        let searched = match opened {
            Ok(handle) => self.search_file(searcher, &place.shown, &handle, result)?,
            Err(error) => Err(Unsearched::Unreadable(error)),
        };
        match searched {
            Ok(found) if found.binary => result.skipped.binary += 1,
            Ok(found) => {
                result.files_searched += 1;
                result.add(place.shown, found, self);
            }
            Err(Unsearched::TooLarge(..)) => result.skipped.too_large += 1,
            Err(Unsearched::LongLine) => result.skipped.long_line += 1,
            Err(Unsearched::Unreadable(error)) if is_gone(&error) => {}
            Err(Unsearched::Unreadable(error)) => walk.unreadable().note(&place.relative, &error),
        }
        Ok(())
    }

    fn search_file(
        &self,
        searcher: &mut Searcher,
        shown: &str,
        handle: &Handle,
        result: &SearchResult,
    ) -> Result<Result<Found, Unsearched>, ToolError> {
        self.workspace.check()?;
        let size = handle.stat.st_size.cast_unsigned();
        let limit = self.size_limit();
        if size > limit {
            return Ok(Err(Unsearched::TooLarge(size, limit)));
        }
        let file = match handle.reopen(OFlags::RDONLY) {
            Ok(file) => file,
            Err(errno) => return Ok(Err(Unsearched::Unreadable(refusal::system(shown, errno)))),
        };
        let left = self.max_results.saturating_sub(result.listed());
        let matches = if self.output == SearchOutput::Matches {
            left.min(self.max_per_file)
        } else {
            self.max_per_file
        };
        let mut collector = Collector::new(&self.matcher, Wanted { matches, ..self.wanted });
        let reader = Watched { workspace: self.workspace, file: file.take(size) };
        match searcher.search_reader(&self.matcher, reader, &mut collector) {
            Ok(()) => match collector.found() {
                found if found.long_line => Ok(Err(Unsearched::LongLine)),
                found => Ok(Ok(found)),
            },
            Err(error) => self.failed(shown, error),
        }
    }

    fn failed(&self, shown: &str, error: io::Error) -> Result<Result<Found, Unsearched>, ToolError> {
        match error.downcast::<ToolError>() {
            Ok(ended) => Err(ended),
            // The searcher has no type for this error.
            Err(error) if error.to_string().starts_with("configured allocation limit") => {
                Ok(Err(Unsearched::LongLine))
            }
            Err(error) => Ok(Err(Unsearched::Unreadable(refusal::io(shown, &error)))),
        }
    }

    fn size_limit(&self) -> u64 {
        let limits = self.workspace.limits();
        match self.wanted.multiline {
            true => limits.max_read_file_bytes.min(limits.search_multiline_file_bytes),
            false => limits.max_read_file_bytes,
        }
    }

    fn searcher(&self, binary: BinaryDetection) -> Searcher {
        let Wanted { before, after, multiline, invert, line_bytes, .. } = self.wanted;
        let lines = before.max(after) + 1;
        // One byte more than the longest line, for its end.
        let heap = usize::try_from(line_bytes.saturating_add(1).saturating_mul(lines)).unwrap_or(usize::MAX);
        SearcherBuilder::new()
            .line_terminator(line_terminator(&self.matcher))
            .invert_match(invert)
            .line_number(true)
            .multi_line(multiline)
            .before_context(usize::try_from(before).unwrap_or(usize::MAX))
            .after_context(usize::try_from(after).unwrap_or(usize::MAX))
            .heap_limit((!multiline).then_some(heap))
            .memory_map(MmapChoice::never())
            .binary_detection(binary)
            .encoding(self.encoding.clone())
            .bom_sniffing(true)
            .build()
    }
}

/// A file of a walk whose directory need not stay open.
struct Place {
    relative: Relative,
    shown: String,
}

/// Whether a file was there when its directory was read and is no more.
fn is_gone(error: &ToolError) -> bool {
    matches!(error.code_str(), "path_not_found" | "path_changed")
}

/// A file that stops being read when the call should end.
struct Watched<'w> {
    workspace: &'w Workspace,
    file: io::Take<File>,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.workspace.check().map_err(io::Error::other)?;
        self.file.read(buffer)
    }
}

impl SearchResult {
    fn new(output: SearchOutput) -> Self {
        let mut result = Self::default();
        match output {
            SearchOutput::Matches => result.matches = Some(Vec::new()),
            SearchOutput::Files => result.files = Some(Vec::new()),
            SearchOutput::Counts => result.counts = Some(Vec::new()),
        }
        result
    }

    /// How much of `max_results` is used.
    fn listed(&self) -> u64 {
        let listed = [
            self.matches.as_ref().map(Vec::len),
            self.files.as_ref().map(Vec::len),
            self.counts.as_ref().map(Vec::len),
        ];
        listed.into_iter().flatten().sum::<usize>() as u64
    }

    /// Takes what a file gave, as far as the budgets go.
    fn add(&mut self, path: String, found: Found, search: &Search<'_>) {
        if found.count == 0 && !found.more {
            return;
        }
        match search.output {
            SearchOutput::Matches => self.add_matches(&path, found, search),
            SearchOutput::Files | SearchOutput::Counts => self.add_file(path, found.count, search),
        }
    }

    fn add_matches(&mut self, path: &str, found: Found, search: &Search<'_>) {
        let is_full = self.listed() + found.matches.len() as u64 >= search.max_results;
        if found.binary {
            self.matched_lines += found.count;
        }
        for mut one in found.matches {
            one.path = path.to_owned();
            if !self.spend(one.bytes(), search) {
                return;
            }
            self.matched_lines += u64::from(!one.binary);
            self.matches.get_or_insert_default().push(one);
        }
        if found.more && is_full {
            self.truncated_by = Some(Truncation::Limit);
        }
    }

    fn add_file(&mut self, path: String, lines: u64, search: &Search<'_>) {
        if self.listed() >= search.max_results {
            self.truncated_by = Some(Truncation::Limit);
            return;
        }
        if !self.spend(path.len() as u64, search) {
            return;
        }
        self.matched_lines += lines;
        match &mut self.files {
            Some(files) => files.push(path),
            None => self.counts.get_or_insert_default().push(FileCount { path, lines }),
        }
    }

    /// Counts bytes against the size of a result; false when they do not fit.
    fn spend(&mut self, bytes: u64, search: &Search<'_>) -> bool {
        self.bytes += bytes;
        let fits = self.bytes <= search.workspace.limits().max_read_bytes;
        if !fits {
            self.truncated_by = Some(Truncation::Bytes);
        }
        fits
    }

    fn finished(mut self, mut walk: Walk<'_>) -> Self {
        self.truncated_by = self.truncated_by.or(walk.truncated());
        self.truncated = self.truncated_by.is_some();
        let unreadable = std::mem::take(walk.unreadable());
        self.unreadable = unreadable.count;
        self.errors = unreadable.first;
        self
    }

    fn into_output(mut self, wanted: Wanted) -> ToolOutput {
        self.truncated = self.truncated_by.is_some();
        let block = Block::text(self.text(wanted));
        ToolOutput::structured(serde_json::to_value(self).unwrap_or(Value::Null)).with_content(block)
    }

    /// The form for models and terminals.
    fn text(&self, wanted: Wanted) -> String {
        let mut lines = Vec::new();
        lines.extend(self.files.iter().flatten().cloned());
        lines.extend(self.counts.iter().flatten().map(|one| format!("{}:{}", one.path, one.lines)));
        if let Some(matches) = &self.matches {
            lines.extend(report::lines(matches, wanted.before > 0 || wanted.after > 0));
        }
        if let Some(by) = self.truncated_by {
            lines.push(format!("[truncated: {}]", by.as_str()));
        }
        lines.join("\n")
    }
}
