//! The search itself: which files, each read once through its handle, in an order that is the same on every run.
//!
//! `grep-searcher` finds the lines, [`super::matches`] makes entries of them, [`super::search_result`] keeps to the
//! budgets. No external program, no memory maps, no configuration from the environment.

use std::fs::File;
use std::io::{self, BufReader, Read};

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Encoding, MmapChoice, Searcher, SearcherBuilder};
use ignore::types::Types;
use rustix::fs::FileType;
use tool_core::ToolError;

use super::crew;
use super::encoding::Reading;
use super::globs::Globs;
use super::matches::{Collector, Found, LineMatch, Wanted};
use super::pattern::line_terminator;
use super::search_files::{SearchOutput, SearchSort};
use super::search_result::{Room, SearchResult};
use super::types::selection;
use crate::limits::Limits;
use crate::workspace::{Entry, Handle, Relative, Use, Walk, WalkOptions, Workspace, WorkspacePath, refusal};

/// Bytes that are read at first: most files whole. What follows is read into the searcher's own buffer.
const AT_ONCE: usize = 16 * 1024;

/// The searcher's encoding; `None` sniffs a byte-order mark.
pub(crate) fn label(encoding: &str, limits: &Limits) -> Result<Option<Encoding>, ToolError> {
    match Reading::parse(encoding, limits)? {
        Reading::Auto => Ok(None),
        Reading::As(encoding) => Encoding::new(encoding.name())
            .map(Some)
            .map_err(|error| ToolError::internal("The encoding is not known.").source(error)),
    }
}

/// Which files of a walk are searched.
pub(crate) struct FileFilter {
    include: Globs,
    exclude: Globs,
    types: Types,
}

impl FileFilter {
    pub(crate) fn new(
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
pub(crate) struct Search<'w> {
    pub(crate) workspace: &'w Workspace,
    pub(crate) matcher: RegexMatcher,
    pub(crate) encoding: Option<Encoding>,
    pub(crate) filter: FileFilter,
    pub(crate) wanted: Wanted,
    pub(crate) room: Room,
    pub(crate) max_per_file: u64,
}

/// Why a file gave nothing.
enum Unsearched {
    TooLarge(u64, u64),
    LongLine,
    Unreadable(ToolError),
}

impl Search<'_> {
    /// Searches a file or below a directory.
    ///
    /// # Errors
    /// Those of files.md §3 for paths; `file_too_large`, `line_too_long` of a file that was named.
    pub(crate) fn run(
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
        let handle = self.workspace.file_to_read(path)?;
        let mut result = SearchResult::new(self.room.output);
        let mut searcher = self.searcher(BinaryDetection::convert(0));
        match self.search_file(&self.matcher, &mut searcher, path.given(), handle)? {
            Ok(mut found) => {
                if found.binary && !found.matches.is_empty() {
                    found.matches = vec![LineMatch { binary: true, ..LineMatch::default() }];
                }
                result.add(path.shown(), found, self.room);
                result.files_searched = 1;
                Ok(result)
            }
            Err(Unsearched::TooLarge(size, limit)) => Err(refusal::file_too_large(size, limit)),
            Err(Unsearched::LongLine) => Err(refusal::line_too_long(path.given(), self.wanted.line_bytes)),
            Err(Unsearched::Unreadable(error)) => Err(error),
        }
    }

    fn run_in_order(&self, mut walk: Walk<'_>) -> Result<SearchResult, ToolError> {
        let mut result = SearchResult::new(self.room.output);
        let mut unreadable = Vec::new();
        let next = || {
            while let Some(entry) = walk.advance()? {
                if self.is_searched(&entry) {
                    let before = walk.unreadable().count;
                    return Ok(Some((entry, before)));
                }
            }
            Ok(None)
        };
        let work = |searcher: &mut (RegexMatcher, Searcher), (entry, before): (Entry, u64)| {
            let place = Place { relative: entry.relative.clone(), shown: entry.shown() };
            Ok((self.search_place(searcher, place, self.workspace.entry_file(&entry))?, before))
        };
        let mut last = u64::MAX;
        let take = |(searched, before): (Searched, u64)| {
            let goes_on = self.take(searched, &mut result, &mut unreadable);
            if !goes_on {
                last = before;
            }
            goes_on
        };
        crew::run(next, || self.tools(), work, take)?;
        walk.unreadable().cut(last);
        unreadable.iter().for_each(|(place, error)| walk.unreadable().note(place, error));
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
        let mut places = places.into_iter().map(|(_, place)| place);
        let (mut result, mut unreadable) = (SearchResult::new(self.room.output), Vec::new());
        let next = || {
            self.workspace.check()?;
            Ok(places.next())
        };
        let work = |searcher: &mut (RegexMatcher, Searcher), place: Place| {
            let opened = self.workspace.file_at(&place.shown, &place.relative);
            self.search_place(searcher, place, opened)
        };
        crew::run(next, || self.tools(), work, |searched| self.take(searched, &mut result, &mut unreadable))?;
        unreadable.iter().for_each(|(place, error)| walk.unreadable().note(place, error));
        Ok(result.finished(walk))
    }

    /// What a thread searches with: a matcher of its own has its own scratch memory.
    fn tools(&self) -> (RegexMatcher, Searcher) {
        (self.matcher.clone(), self.searcher(BinaryDetection::quit(0)))
    }

    fn is_searched(&self, entry: &Entry) -> bool {
        entry.kind == FileType::RegularFile
            && self.workspace.names().permit(&entry.relative, Use::Read)
            && self.filter.keeps(entry)
    }

    /// Searches a file of a walk.
    fn search_place(
        &self,
        (matcher, searcher): &mut (RegexMatcher, Searcher),
        place: Place,
        opened: Result<Handle, ToolError>,
    ) -> Result<Searched, ToolError> {
        let outcome = match opened {
            Ok(handle) => self.search_file(matcher, searcher, &place.shown, handle)?,
            Err(error) => Err(Unsearched::Unreadable(error)),
        };
        Ok(Searched { place, outcome })
    }

    /// Takes what a file of a walk gave; what could not be searched is counted. False when the result is full.
    fn take(
        &self,
        searched: Searched,
        result: &mut SearchResult,
        unreadable: &mut Vec<(Relative, ToolError)>,
    ) -> bool {
        let Searched { place, outcome } = searched;
        match outcome {
            Ok(found) if found.binary => result.skipped.binary += 1,
            Ok(found) => {
                result.files_searched += 1;
                result.add(place.shown, found, self.room);
            }
            Err(Unsearched::TooLarge(..)) => result.skipped.too_large += 1,
            Err(Unsearched::LongLine) => result.skipped.long_line += 1,
            Err(Unsearched::Unreadable(error)) if is_gone(&error) => {}
            Err(Unsearched::Unreadable(error)) => unreadable.push((place.relative, error)),
        }
        result.truncated_by.is_none()
    }

    fn search_file(
        &self,
        matcher: &RegexMatcher,
        searcher: &mut Searcher,
        shown: &str,
        handle: Handle,
    ) -> Result<Result<Found, Unsearched>, ToolError> {
        self.workspace.check()?;
        let size = handle.stat.st_size.cast_unsigned();
        let limit = self.size_limit();
        if size > limit {
            return Ok(Err(Unsearched::TooLarge(size, limit)));
        }
        let file = match handle.into_reader() {
            Ok(file) => file,
            Err(errno) => return Ok(Err(Unsearched::Unreadable(refusal::system(shown, errno)))),
        };
        // No file knows what the others gave: it gives as much as a whole result holds, and is cut when it is taken.
        let matches = match self.room.output {
            SearchOutput::Matches => self.room.results.min(self.max_per_file),
            SearchOutput::Files | SearchOutput::Counts => self.max_per_file,
        };
        let mut collector =
            Collector::new(matcher, Wanted { matches, bytes: self.room.bytes, ..self.wanted });
        // The searcher asks for the three bytes of a byte-order mark first.
        let watched = Watched { workspace: self.workspace, file: file.take(size) };
        let reader = BufReader::with_capacity(AT_ONCE, watched);
        match searcher.search_reader(matcher, reader, &mut collector) {
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

/// A file of a walk and what it gave.
struct Searched {
    place: Place,
    outcome: Result<Found, Unsearched>,
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
