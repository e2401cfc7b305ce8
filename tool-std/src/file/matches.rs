//! The matches of one file: what the searcher reports, as entries of a result (files.md §11).
//!
//! Each match carries its own context lines, though lines near several matches are then given more than once: an entry
//! can be read alone.

use std::collections::VecDeque;
use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};
use schemars::JsonSchema;
use serde::Serialize;

use crate::limits::Limits;

/// A match inside a line, in bytes from the start of the whole line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Submatch {
    /// First byte.
    pub start: u64,
    /// The byte behind the last.
    pub end: u64,
}

/// A matching line; in multiline mode one match with all its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineMatch {
    /// The file, relative to the workspace root.
    pub path: String,
    /// Number of the line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Byte of the first match in the line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// The line without its end, or a part of it around the first match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Where it matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submatches: Option<Vec<Submatch>>,
    /// The lines before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Vec<String>>,
    /// The lines after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Vec<String>>,
    /// `text` is a part of the line.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The line is not UTF-8; bad bytes are replaced in `text`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lossy: bool,
    /// The file is binary; only that it matches is known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub binary: bool,
}

impl LineMatch {
    /// Bytes that it adds to a result.
    pub(crate) fn bytes(&self) -> u64 {
        let context = self.before.iter().chain(&self.after).flatten();
        let texts = context.chain(&self.text).map(String::len).sum::<usize>();
        (self.path.len() + texts) as u64
    }
}

/// What is asked of the search of one file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Most matches; one more ends the search.
    pub(crate) matches: u64,
    /// Bytes of all entries together; the one that passes them is the last.
    pub(crate) bytes: u64,
    /// Context lines.
    pub(crate) before: u64,
    /// Context lines.
    pub(crate) after: u64,
    /// Count only.
    pub(crate) only_count: bool,
    /// Lines that do not match.
    pub(crate) invert: bool,
    /// One entry per match.
    pub(crate) multiline: bool,
    /// Characters shown of a line.
    pub(crate) line_chars: usize,
    /// Matches located in a line.
    pub(crate) submatches: usize,
    /// Bytes of the longest line.
    pub(crate) line_bytes: u64,
}

impl Wanted {
    /// Every match without context, within the limits.
    pub(crate) fn within(limits: &Limits) -> Self {
        Self {
            matches: u64::MAX,
            bytes: u64::MAX,
            before: 0,
            after: 0,
            only_count: false,
            invert: false,
            multiline: false,
            line_chars: usize::try_from(limits.search_line_chars).unwrap_or(usize::MAX),
            submatches: usize::try_from(limits.submatches_max).unwrap_or(usize::MAX),
            line_bytes: limits.search_line_bytes,
        }
    }
}

/// What a file answers.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The matches, unless only their count was asked for.
    pub(crate) matches: Vec<LineMatch>,
    /// How many there are.
    pub(crate) count: u64,
    /// There are more than were asked for.
    pub(crate) more: bool,
    /// It has a NUL byte.
    pub(crate) binary: bool,
    /// It has a line that is too long.
    pub(crate) long_line: bool,
}

/// Receives what the searcher finds in one file.
pub(crate) struct Collector<'a> {
    matcher: &'a RegexMatcher,
    wanted: Wanted,
    found: Found,
    /// Bytes of the entries so far.
    bytes: u64,
    /// The last lines seen, for the context before a match.
    recent: VecDeque<(u64, String)>,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(matcher: &'a RegexMatcher, wanted: Wanted) -> Self {
        Self { matcher, wanted, found: Found::default(), bytes: 0, recent: VecDeque::new() }
    }

    /// What was found.
    pub(crate) fn found(self) -> Found {
        self.found
    }

    /// Whether another match may be taken; notes that there was one more.
    fn has_room(&mut self) -> bool {
        let has_room = self.found.count < self.wanted.matches && self.bytes <= self.wanted.bytes;
        self.found.more |= !has_room;
        has_room
    }

    /// Whether the matches that were taken still wait for lines behind them.
    fn awaits_context(&self, line: u64) -> bool {
        let last = self.found.matches.last().and_then(|last| last.line);
        last.is_some_and(|last| line < last.saturating_add(self.wanted.after))
    }

    /// Takes a line as context of the matches before it and of those to come.
    fn pass(&mut self, number: u64, bytes: &[u8]) {
        let Wanted { before, after, line_chars, .. } = self.wanted;
        if before == 0 && after == 0 {
            return;
        }
        let text = Excerpt::of(bytes, 0, line_chars).text;
        for earlier in self.found.matches.iter_mut().rev() {
            let Some(line) = earlier.line else { break };
            if number > line.saturating_add(after) {
                break;
            }
            if number > line
                && let Some(lines) = &mut earlier.after
            {
                lines.push(text.clone());
            }
        }
        self.recent.push_back((number, text));
        while self.recent.len() as u64 > before {
            self.recent.pop_front();
        }
    }

    fn before(&self, line: u64) -> Option<Vec<String>> {
        (self.wanted.before > 0).then(|| {
            let first = line.saturating_sub(self.wanted.before);
            self.recent
                .iter()
                .filter(|(number, _)| *number >= first && *number < line)
                .map(|(_, text)| text.clone())
                .collect()
        })
    }

    /// Takes one matching line.
    fn take_line(&mut self, found: &SinkMatch<'_>) {
        let number = found.line_number().unwrap_or_default();
        let line = without_end(found.bytes());
        let submatches = self.locate(found, line.len());
        let first = submatches.first().map_or(0, |first| first.start);
        let excerpt = Excerpt::of(line, usize::try_from(first).unwrap_or_default(), self.wanted.line_chars);
        let entry = LineMatch {
            line: Some(number),
            column: Some(first + 1),
            text: Some(excerpt.text),
            submatches: Some(submatches),
            before: self.before(number),
            after: (self.wanted.after > 0).then(Vec::new),
            cut: excerpt.cut,
            lossy: excerpt.lossy,
            ..LineMatch::default()
        };
        self.bytes += entry.bytes();
        self.found.matches.push(entry);
    }

    /// The first matches of a line, looked for with what lies before the line in view.
    fn locate(&self, found: &SinkMatch<'_>, line_bytes: usize) -> Vec<Submatch> {
        let mut submatches = Vec::new();
        if self.wanted.invert {
            return submatches;
        }
        let range = found.bytes_range_in_buffer();
        let haystack = found.buffer().get(..range.start + line_bytes).unwrap_or_default();
        let _ = self.matcher.find_iter_at(haystack, range.start, |one| {
            submatches.push(Submatch {
                start: one.start().saturating_sub(range.start) as u64,
                end: one.end().saturating_sub(range.start) as u64,
            });
            submatches.len() < self.wanted.submatches
        });
        submatches
    }

    /// Takes the matches of a block of lines, each with all its lines.
    fn take_block(&mut self, found: &SinkMatch<'_>) {
        let range = found.bytes_range_in_buffer();
        let haystack = found.buffer().get(..range.end).unwrap_or_default();
        let block = found.bytes();
        let first_line = found.line_number().unwrap_or_default();
        let mut located = Vec::new();
        let room = usize::try_from(self.wanted.matches - self.found.count.min(self.wanted.matches))
            .unwrap_or(usize::MAX)
            .saturating_add(1);
        let _ = self.matcher.find_iter_at(haystack, range.start, |one| {
            let is_inside = one.start() < range.end;
            if is_inside {
                located.push((one.start() - range.start, one.end().min(range.end) - range.start));
            }
            is_inside && located.len() < room
        });
        let mut counted_to = 0;
        let mut line = first_line;
        for (start, end) in located {
            if !self.has_room() {
                return;
            }
            self.found.count += 1;
            if self.wanted.only_count {
                continue;
            }
            let from = start_of_line(block, start);
            line += feeds(block.get(counted_to..from).unwrap_or_default());
            counted_to = from.max(counted_to);
            self.take_match(block, line, from, (start, end));
        }
    }

    fn take_match(&mut self, block: &[u8], line: u64, from: usize, (start, end): (usize, usize)) {
        let to = end_of_line(block, end.max(start + 1));
        let text = without_end(block.get(from..to).unwrap_or_default());
        let excerpt = Excerpt::of(text, start - from, self.wanted.line_chars);
        let entry = LineMatch {
            line: Some(line),
            column: Some((start - from) as u64 + 1),
            text: Some(excerpt.text),
            submatches: Some(vec![Submatch { start: (start - from) as u64, end: (end - from) as u64 }]),
            before: self.before(line),
            after: (self.wanted.after > 0).then(Vec::new),
            cut: excerpt.cut,
            lossy: excerpt.lossy,
            ..LineMatch::default()
        };
        self.bytes += entry.bytes();
        self.found.matches.push(entry);
    }

    fn is_too_long(&mut self, bytes: &[u8]) -> bool {
        self.found.long_line |= without_end(bytes).len() as u64 > self.wanted.line_bytes;
        self.found.long_line
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let number = found.line_number().unwrap_or_default();
        if self.wanted.multiline && !self.wanted.invert {
            self.take_block(found);
            for (index, line) in found.lines().enumerate() {
                self.pass(number + index as u64, without_end(line));
            }
            return Ok(!self.found.more || self.awaits_context(number));
        }
        if self.is_too_long(found.bytes()) {
            return Ok(false);
        }
        self.pass_line_or_match(number, found)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        if !self.wanted.multiline && self.is_too_long(context.bytes()) {
            return Ok(false);
        }
        let number = context.line_number().unwrap_or_default();
        self.pass(number, without_end(context.bytes()));
        Ok(!self.found.more || self.awaits_context(number))
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.found.binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}

impl Collector<'_> {
    fn pass_line_or_match(&mut self, number: u64, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let is_taken = !self.found.more && self.has_room();
        self.found.count += u64::from(is_taken);
        // A line is context of the matches before it, and not of itself.
        if is_taken && !self.wanted.only_count {
            self.take_line(found);
        }
        self.pass(number, without_end(found.bytes()));
        Ok(!self.found.more || self.awaits_context(number))
    }
}

/// What is shown of a line.
struct Excerpt {
    text: String,
    cut: bool,
    lossy: bool,
}

impl Excerpt {
    /// At most `chars` characters of a line, around the byte `at`.
    fn of(line: &[u8], at: usize, chars: usize) -> Self {
        let whole = String::from_utf8_lossy(line);
        let lossy = matches!(whole, std::borrow::Cow::Owned(_));
        let total = whole.chars().count();
        if total <= chars {
            return Self { text: whole.into_owned(), cut: false, lossy };
        }
        let at = String::from_utf8_lossy(line.get(..at).unwrap_or_default()).chars().count();
        let first = at.saturating_sub(chars / 4).min(total - chars);
        Self { text: whole.chars().skip(first).take(chars).collect(), cut: true, lossy }
    }
}

/// A line without its line feed and the carriage return before that.
fn without_end(line: &[u8]) -> &[u8] {
    match line.strip_suffix(b"\n") {
        Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
        None => line,
    }
}

fn feeds(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

fn start_of_line(block: &[u8], at: usize) -> usize {
    block.get(..at).unwrap_or_default().iter().rposition(|byte| *byte == b'\n').map_or(0, |feed| feed + 1)
}

/// Behind the line that holds the byte before `at`.
fn end_of_line(block: &[u8], at: usize) -> usize {
    let from = at.saturating_sub(1);
    let rest = block.get(from..).unwrap_or_default();
    rest.iter().position(|byte| *byte == b'\n').map_or(block.len(), |feed| from + feed + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::pattern::{Syntax, line_terminator, matcher};
    use grep_searcher::SearcherBuilder;

    fn search(pattern: &str, text: &[u8], change: impl FnOnce(&mut Wanted)) -> Found {
        let limits = Limits::default();
        let mut wanted = Wanted::within(&limits);
        change(&mut wanted);
        let syntax = Syntax { multiline: wanted.multiline, ..Syntax::default() };
        let matcher = matcher(pattern, syntax, &limits).unwrap();
        let mut collector = Collector::new(&matcher, wanted);
        SearcherBuilder::new()
            .line_terminator(line_terminator(&matcher))
            .multi_line(wanted.multiline)
            .invert_match(wanted.invert)
            .before_context(wanted.before as usize)
            .after_context(wanted.after as usize)
            .build()
            .search_reader(&matcher, text, &mut collector)
            .unwrap();
        collector.found()
    }

    fn lines(found: &Found) -> Vec<(u64, &str)> {
        found.matches.iter().map(|one| (one.line.unwrap(), one.text.as_deref().unwrap())).collect()
    }

    #[test]
    fn positions_are_bytes_in_the_whole_line() {
        let found = search("b", "éab b\n".as_bytes(), |_| {});
        assert_eq!(found.matches[0].column, Some(4));
        let submatches = [Submatch { start: 3, end: 4 }, Submatch { start: 5, end: 6 }];
        assert_eq!(found.matches[0].submatches.as_deref(), Some(&submatches[..]));
    }

    #[test]
    fn each_match_has_its_own_context() {
        let text = b"1\n2x\n3x\n4\n5\n6x\n";
        let found = search("x", text, |wanted| (wanted.before, wanted.after) = (1, 2));
        let contexts: Vec<_> = found
            .matches
            .iter()
            .map(|one| (one.before.clone().unwrap().join(","), one.after.clone().unwrap().join(",")))
            .collect();
        let expected = [("1", "3x,4"), ("2x", "4,5"), ("5", "")];
        assert_eq!(contexts, expected.map(|(before, after)| (before.to_owned(), after.to_owned())));
    }

    #[test]
    fn the_limit_keeps_the_first_and_says_that_there_are_more() {
        let text = b"1x\n2x\n3x\n4\n";
        let found = search("x", text, |wanted| wanted.matches = 2);
        assert_eq!((lines(&found), found.count, found.more), (vec![(1, "1x"), (2, "2x")], 2, true));
        let found = search("x", text, |wanted| wanted.matches = 3);
        assert!(!found.more && found.count == 3);
        let found = search("x", text, |wanted| (wanted.matches, wanted.after) = (1, 3));
        assert_eq!(found.matches[0].after.as_deref().unwrap(), ["2x", "3x", "4"]);
    }

    #[test]
    fn a_multiline_match_is_one_entry_with_all_its_lines() {
        let found = search("b\nc|d", b"a\nab\ncd\nd d\n", |wanted| wanted.multiline = true);
        assert_eq!(lines(&found), [(2, "ab\ncd"), (3, "cd"), (4, "d d"), (4, "d d")]);
        assert_eq!(found.matches[0].submatches.as_deref(), Some(&[Submatch { start: 1, end: 4 }][..]));
    }

    #[test]
    fn a_long_line_is_cut_around_its_first_match() {
        let text = format!("{}needle{}\n", "é".repeat(2_000), "b".repeat(2_000));
        let found = search("needle", text.as_bytes(), |_| {});
        let one = &found.matches[0];
        assert!(one.cut && one.text.as_ref().unwrap().contains("needle"));
        assert_eq!((one.text.as_ref().unwrap().chars().count(), one.column), (500, Some(4_001)));
        let exact = format!("{}\n", "a".repeat(500));
        assert!(!search("a", exact.as_bytes(), |_| {}).matches[0].cut);
    }

    #[test]
    fn only_so_many_matches_of_a_line_are_located() {
        let text = "a".repeat(100);
        assert_eq!(search("a", text.as_bytes(), |_| {}).matches[0].submatches.as_ref().unwrap().len(), 32);
    }

    #[test]
    fn line_ends_are_no_part_of_the_text() {
        let found = search("a$", b"a\r\nba\nca", |_| {});
        assert_eq!(lines(&found), [(1, "a"), (2, "ba"), (3, "ca")]);
        let found = search("^x", b"a\r\n", |wanted| wanted.invert = true);
        assert_eq!((lines(&found), found.matches[0].column), (vec![(1, "a")], Some(1)));
    }
}
