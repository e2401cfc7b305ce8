//! The exact text of `replace_text`: no pattern, and by default it must occur once.
//!
//! The one tolerance is for line ends: LF in a text without CR also stands for CR LF, and LF in the new text takes the
//! terminator found. (Source: files.md §8.)

mod nearest;
mod regions;

use std::borrow::Cow;
use std::ops::Range;

use tool_core::{ErrorKind, ToolError};

use super::document::{BOM, Document};
use super::edited::{Edited, checked};
use super::excerpt::excerpts;
use super::line_end::LineEnd;
use super::occurrences::Occurrences;
use super::refusal;
use crate::limits::Limits;
use regions::Regions;

/// Line numbers that an error lists.
const LINES_MAX: usize = 10;

/// Whether a text may occur more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurring {
    /// It must occur exactly once.
    Once,
    /// All occurrences are replaced, from left to right, without overlaps.
    All,
}

/// The new file and how many texts were replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The new file and what was done to get it.
    pub edited: Edited,
    /// How many occurrences were replaced.
    pub replacements: usize,
}

/// Replaces a text in the bytes of a file.
///
/// # Errors
/// `old_empty`, `patch_no_change`, `text_not_found`, `text_ambiguous`, `content_too_large`.
pub fn apply(
    file: &[u8],
    old: &str,
    new: &str,
    occurring: Occurring,
    limits: &Limits,
) -> Result<Replaced, ToolError> {
    check(old, new)?;
    let search = Search::new(file, old.as_bytes());
    if occurring == Occurring::Once {
        search.check_single(old, limits.echo_chars)?;
    }
    let replacements = search.replaced().count();
    if replacements == 0 {
        return Err(not_found(&search.document, old, limits.echo_chars));
    }
    let size = search.size_with(new.as_bytes());
    if size as u64 > limits.max_edit_file_bytes {
        return Err(refusal::result_too_large(size, limits.max_edit_file_bytes));
    }
    let (bytes, regions) = search.build(new.as_bytes(), size, limits);
    let bytes = checked(file, bytes, limits)?;
    Ok(Replaced { edited: report(&search.document, bytes, &regions, limits), replacements })
}

/// Checks what can be said of the texts alone.
///
/// # Errors
/// `old_empty`, `patch_no_change`.
pub fn check(old: &str, new: &str) -> Result<(), ToolError> {
    if old.is_empty() {
        return Err(refusal::invalid("old_empty", "The text to replace is empty.")
            .hint("edit_lines inserts by line number, write_file writes a whole file"));
    }
    if old == new {
        return Err(refusal::no_change());
    }
    Ok(())
}

fn report(document: &Document<'_>, bytes: Vec<u8>, regions: &Regions, limits: &Limits) -> Edited {
    let after = Document::new(&bytes);
    let (hunks, landed) = regions.applied(document, &after);
    let lines_removed = regions.lines();
    let lines_added = after.len() + lines_removed - document.len();
    let mut warnings = Vec::new();
    if regions.unlisted() > 0 {
        warnings.push(format!("{} more changed places are not listed.", regions.unlisted()));
    }
    let excerpts = excerpts(&bytes, &landed, limits);
    Edited { hunks, lines_added, lines_removed, excerpts, warnings, bytes }
}

/// A text that is looked for in a file.
struct Search<'a> {
    file: &'a [u8],
    document: Document<'a>,
    old: &'a [u8],
    /// The file as it is searched: with LF for CR LF where the text asks for it.
    searched: Cow<'a, [u8]>,
    /// Where in `searched` an LF stands for CR LF.
    shortened: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(file: &'a [u8], old: &'a [u8]) -> Self {
        let is_tolerant = old.contains(&b'\n') && !old.contains(&b'\r');
        let (searched, shortened) = match is_tolerant {
            true => with_lf(file),
            false => (Cow::Borrowed(file), Vec::new()),
        };
        Self { file, document: Document::new(file), old, searched, shortened }
    }

    /// Every occurrence, overlapping ones too, as bytes of the file.
    fn occurrences(&self) -> impl Iterator<Item = Range<usize>> {
        Occurrences::new(self.old, &self.searched)
            .map(|start| self.in_file(start)..self.in_file(start + self.old.len()))
    }

    /// The occurrences that are replaced: from left to right, without overlaps.
    fn replaced(&self) -> impl Iterator<Item = Range<usize>> {
        let mut end = 0;
        self.occurrences().filter(move |found| {
            let is_free = found.start >= end;
            if is_free {
                end = found.end;
            }
            is_free
        })
    }

    fn in_file(&self, at: usize) -> usize {
        at + self.shortened.partition_point(|lf| *lf < at)
    }

    /// The index of the line that holds a byte of the file.
    fn line_at(&self, offset: usize) -> usize {
        let mark = if self.document.has_bom() { BOM.len() } else { 0 };
        self.document.line_at(offset.saturating_sub(mark))
    }

    fn check_single(&self, old: &str, echo: u64) -> Result<(), ToolError> {
        let count = self.occurrences().take(2).count();
        match count {
            0 => Err(not_found(&self.document, old, echo)),
            1 => Ok(()),
            _ => Err(self.ambiguous()),
        }
    }

    fn ambiguous(&self) -> ToolError {
        let count = self.occurrences().count();
        let mut lines: Vec<usize> = Vec::new();
        for found in self.occurrences() {
            let line = self.line_at(found.start) + 1;
            if lines.last() != Some(&line) {
                lines.push(line);
            }
            if lines.len() == LINES_MAX {
                break;
            }
        }
        let shown: Vec<String> = lines.iter().map(usize::to_string).collect();
        let message = format!("The text occurs {count} times, in lines {}.", shown.join(", "));
        refusal::conflict("text_ambiguous", message)
            .hint("give more of the text around it, or all = true")
            .detail("count", count)
            .detail("lines", lines)
    }

    /// The terminators that `newlines` LFs of the new text take at an occurrence.
    fn ends_at(&self, found: &Range<usize>, newlines: usize) -> Vec<LineEnd> {
        if newlines == 0 || self.old.contains(&b'\r') {
            return Vec::new();
        }
        let text = self.file.get(found.clone()).unwrap_or_default();
        let ends: Vec<LineEnd> =
            text.split_inclusive(|byte| *byte == b'\n').filter_map(|line| LineEnd::split(line).1).collect();
        if !ends.is_empty() {
            return ends;
        }
        self.document.end_of(self.line_at(found.start)).into_iter().collect()
    }

    fn size_with(&self, new: &[u8]) -> usize {
        let newlines = bare_newlines(new).count();
        let mut size = self.file.len();
        for found in self.replaced() {
            let longer = cr_lfs(&self.ends_at(&found, newlines), newlines);
            size = size - found.len() + new.len() + longer;
        }
        size
    }

    fn build(&self, new: &[u8], size: usize, limits: &Limits) -> (Vec<u8>, Regions) {
        let mut bytes = Vec::with_capacity(size);
        let mut regions = Regions::new(limits.max_hunks);
        let newlines = bare_newlines(new).count();
        let mut at = 0;
        for found in self.replaced() {
            bytes.extend_from_slice(self.file.get(at..found.start).unwrap_or_default());
            let start = bytes.len();
            write_with_ends(&mut bytes, new, &self.ends_at(&found, newlines));
            let written = bytes.len() - start;
            let lines = self.line_at(found.start)..self.line_at(found.end - 1) + 1;
            let takes_newline = self.file.get(found.end - 1) == Some(&b'\n');
            let joins = takes_newline && leaves_line_open(&bytes);
            regions.add(&self.document, lines, &found, written, joins);
            at = found.end;
        }
        bytes.extend_from_slice(self.file.get(at..).unwrap_or_default());
        (bytes, regions)
    }
}

/// Whether what comes next becomes part of the last line written.
fn leaves_line_open(written: &[u8]) -> bool {
    !(written.is_empty() || written == BOM || written.ends_with(b"\n"))
}

/// A file with LF for every CR LF, and where these are.
fn with_lf(file: &[u8]) -> (Cow<'_, [u8]>, Vec<usize>) {
    let mut searched = Vec::with_capacity(file.len());
    let mut shortened = Vec::new();
    for line in file.split_inclusive(|byte| *byte == b'\n') {
        let (text, end) = LineEnd::split(line);
        searched.extend_from_slice(text);
        if end == Some(LineEnd::CrLf) {
            shortened.push(searched.len());
        }
        if end.is_some() {
            searched.push(b'\n');
        }
    }
    (Cow::Owned(searched), shortened)
}

/// The positions of LFs that no CR precedes.
fn bare_newlines(text: &[u8]) -> impl Iterator<Item = usize> {
    let is_bare =
        |at: &usize| text.get(*at) == Some(&b'\n') && (*at == 0 || text.get(at - 1) != Some(&b'\r'));
    (0..text.len()).filter(is_bare)
}

/// How many of the first `count` newlines become CR LF; the last terminator found serves for all further ones.
fn cr_lfs(ends: &[LineEnd], count: usize) -> usize {
    let is_cr_lf = |end: &&LineEnd| **end == LineEnd::CrLf;
    let given = ends.iter().take(count).filter(is_cr_lf).count();
    let further = count.saturating_sub(ends.len());
    given + if ends.last().is_some_and(|end| is_cr_lf(&end)) { further } else { 0 }
}

fn write_with_ends(bytes: &mut Vec<u8>, new: &[u8], ends: &[LineEnd]) {
    let mut ends = ends.iter();
    let mut end = LineEnd::Lf;
    let mut at = 0;
    for newline in bare_newlines(new) {
        end = ends.next().copied().unwrap_or(end);
        bytes.extend_from_slice(new.get(at..newline).unwrap_or_default());
        bytes.extend_from_slice(end.as_bytes());
        at = newline + 1;
    }
    bytes.extend_from_slice(new.get(at..).unwrap_or_default());
}

fn not_found(document: &Document<'_>, old: &str, echo: u64) -> ToolError {
    let error =
        refusal::refuse(ErrorKind::NotFound, "text_not_found", "The text does not occur in the file.");
    match nearest::nearest(document, old.as_bytes()) {
        Some(nearest) => error
            .hint(nearest.hint())
            .quoting_hint(nearest.quoting_hint(echo))
            .content_detail("nearest", nearest.json(echo)),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(file: &str, old: &str, new: &str, occurring: Occurring) -> Result<Replaced, ToolError> {
        apply(file.as_bytes(), old, new, occurring, &Limits::default())
    }

    fn once(file: &str, old: &str, new: &str) -> String {
        String::from_utf8(replaced(file, old, new, Occurring::Once).unwrap().edited.bytes).unwrap()
    }

    #[test]
    fn line_ends_of_the_file_are_found_and_kept() {
        assert_eq!(once("a\r\nb\r\nc\r\n", "a\nb", "x\ny"), "x\r\ny\r\nc\r\n");
        assert_eq!(once("a\r\nb\nc", "a\nb\nc", "1\n2\n3\n4"), "1\r\n2\n3\n4");
        assert_eq!(once("a\r\nb\r\n", "b", "1\n2"), "a\r\n1\r\n2\r\n");
        assert_eq!(once("a\r\nb\n", "a\r\n", "a\n"), "a\nb\n");
        assert_eq!(once("a\nb\n", "a\n", "a\r\n"), "a\r\nb\n");
        assert_eq!(once("a\r\n\r\nb", "\n\nb", "-"), "a-");
    }

    #[test]
    fn overlapping_occurrences_are_ambiguous_but_replaced_without_overlap() {
        let error = replaced("aaa\n", "aa", "b", Occurring::Once).unwrap_err();
        assert_eq!((error.code_str(), &error.details()["count"]), ("text_ambiguous", &2.into()));
        let all = replaced("aaa\n", "aa", "b", Occurring::All).unwrap();
        assert_eq!((all.edited.bytes.as_slice(), all.replacements), (&b"ba\n"[..], 1));
    }

    #[test]
    fn an_ambiguous_text_names_ten_lines_at_most() {
        let error = replaced(&"x\n".repeat(14), "x", "y", Occurring::Once).unwrap_err();
        assert_eq!(error.details()["count"], 14);
        assert_eq!(error.details()["lines"], serde_json::json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
        assert_eq!(replaced(&"x\n".repeat(14), "x", "y", Occurring::All).unwrap().replacements, 14);
    }

    #[test]
    fn the_size_is_refused_before_the_result_is_built() {
        let mut limits = Limits::default();
        limits.set("max_edit_file_bytes", 6).unwrap();
        let size = |new: &str| apply(b"a\r\na\r\n", "a", new, Occurring::All, &limits);
        assert_eq!(size("b\n").unwrap_err().details()["bytes"], 10);
        assert_eq!(size("b").unwrap().edited.bytes, b"b\r\nb\r\n");
    }

    #[test]
    fn the_changed_lines_are_reported() {
        let edited = replaced("1\n2\n3\n4\n5\n6\n", "3\n", "x", Occurring::Once).unwrap().edited;
        assert_eq!(edited.bytes, b"1\n2\nx4\n5\n6\n");
        let hunk = edited.hunks[0];
        assert_eq!((hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines), (3, 2, 3, 1));
        assert_eq!((edited.lines_added, edited.lines_removed), (1, 2));
        assert_eq!(edited.excerpts[0].text, "1\n2\nx4\n5\n6\n");

        let edited = replaced("px\nx\nx\nq\nr\n", "x\n", "", Occurring::All).unwrap().edited;
        assert_eq!(
            (edited.bytes.as_slice(), edited.lines_added, edited.lines_removed),
            (&b"pq\nr\n"[..], 1, 4)
        );

        let edited = replaced("1\n2\n3\n", "2\n", "", Occurring::Once).unwrap().edited;
        let hunk = edited.hunks[0];
        assert_eq!((hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines), (2, 1, 2, 0));
        assert_eq!((edited.lines_added, edited.lines_removed), (0, 1));
    }

    #[test]
    fn a_byte_order_mark_is_no_line_of_its_own() {
        let edited = replaced("\u{feff}a\nb", "b", "c", Occurring::Once).unwrap().edited;
        assert_eq!((edited.bytes.as_slice(), edited.hunks[0].old_start), ("\u{feff}a\nc".as_bytes(), 2));
    }

    #[test]
    fn a_text_that_is_not_there_names_the_nearest_line() {
        let error =
            replaced("fn main() {\n\tlet x = 1;\n}\n", "    let x = 1;\n", "y", Occurring::Once).unwrap_err();
        assert_eq!(error.code_str(), "text_not_found");
        assert_eq!(error.details()["nearest"]["line"], 2);
        assert!(error.hint_str().unwrap().contains("differs only in white space"));
        assert_eq!(once("fn main() {\n\tlet x = 1;\n}\n", "\tlet x = 1;\n", ""), "fn main() {\n}\n");
    }

    #[test]
    fn an_empty_text_and_an_equal_text_are_refused() {
        assert_eq!(replaced("a", "", "x", Occurring::All).unwrap_err().code_str(), "old_empty");
        assert_eq!(replaced("a", "a", "a", Occurring::All).unwrap_err().code_str(), "patch_no_change");
        assert_eq!(
            replaced("a\r\n", "a\n", "a\r\n", Occurring::All).unwrap_err().code_str(),
            "patch_no_change"
        );
    }
}
