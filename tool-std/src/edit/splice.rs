//! Applies changes of whole lines to a document: kept lines are copied, added lines written, the end of the file settled.
//!
//! Both line engines end here, so that terminators, the byte-order mark and the final newline follow one rule.

use super::document::{BOM, Document};
use super::line_end::LineEnd;

/// A line that a change adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Added<'a> {
    pub(crate) text: &'a [u8],
    /// None for a line that is meant to be the last, without newline.
    pub(crate) end: Option<LineEnd>,
}

/// `removed` lines from line `at` on (counted from 0) give way to `added`.
#[derive(Clone, Debug)]
pub(crate) struct Change<'a> {
    pub(crate) at: usize,
    pub(crate) removed: usize,
    pub(crate) added: Vec<Added<'a>>,
}

/// How the new file ends, and how lines end where no line says so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending {
    pub(crate) final_newline: bool,
    pub(crate) default: LineEnd,
}

/// Applies changes, which must be in order and must not overlap.
pub(crate) fn splice(document: &Document<'_>, changes: &[Change<'_>], ending: Ending) -> Vec<u8> {
    let mut writer = Writer::new(document, ending.default);
    let mut at = 0;
    for change in changes {
        writer.keep(document, at, change.at);
        change.added.iter().for_each(|line| writer.add(*line));
        at = change.at + change.removed;
    }
    writer.keep(document, at, document.len());
    writer.finish(ending.final_newline)
}

struct Writer {
    bytes: Vec<u8>,
    /// The length of the byte-order mark.
    start: usize,
    /// The terminator of the last line, or of the nearest line above that has one.
    end: LineEnd,
    /// Whether the last line has no terminator.
    is_open: bool,
}

impl Writer {
    fn new(document: &Document<'_>, default: LineEnd) -> Self {
        let mut bytes = if document.has_bom() { BOM.to_vec() } else { Vec::new() };
        let start = bytes.len();
        bytes.reserve(document.text().len());
        Self { bytes, start, end: default, is_open: false }
    }

    fn keep(&mut self, document: &Document<'_>, from: usize, to: usize) {
        if from >= to {
            return;
        }
        self.terminate();
        let kept = document.slice(from, to);
        self.bytes.extend_from_slice(kept);
        self.is_open = !kept.ends_with(b"\n");
        self.end = document.end_of(to - 1).unwrap_or(self.end);
    }

    fn add(&mut self, line: Added<'_>) {
        self.terminate();
        let meets_bom = self.start > 0 && self.bytes.len() == self.start;
        let text = if meets_bom { line.text.strip_prefix(BOM).unwrap_or(line.text) } else { line.text };
        self.bytes.extend_from_slice(text);
        self.is_open = line.end.is_none();
        if let Some(end) = line.end {
            self.bytes.extend_from_slice(end.as_bytes());
            self.end = end;
        }
    }

    fn terminate(&mut self) {
        if self.is_open {
            self.bytes.extend_from_slice(self.end.as_bytes());
            self.is_open = false;
        }
    }

    fn finish(mut self, final_newline: bool) -> Vec<u8> {
        if final_newline {
            self.terminate();
        } else if !self.is_open && self.bytes.len() > self.start {
            self.bytes.truncate(self.bytes.len() - self.end.as_bytes().len());
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spliced(file: &str, at: usize, removed: usize, added: &[&str], final_newline: bool) -> String {
        let document = Document::new(file.as_bytes());
        let added =
            added.iter().map(|text| Added { text: text.as_bytes(), end: Some(LineEnd::Lf) }).collect();
        let ending = Ending { final_newline, default: LineEnd::Lf };
        String::from_utf8(splice(&document, &[Change { at, removed, added }], ending)).unwrap()
    }

    #[test]
    fn a_line_that_stops_being_the_last_is_terminated_like_the_line_above() {
        assert_eq!(spliced("a\r\nb", 2, 0, &["x"], false), "a\r\nb\r\nx");
        assert_eq!(spliced("b", 1, 0, &["x"], true), "b\nx\n");
    }

    #[test]
    fn the_final_newline_is_as_asked() {
        assert_eq!(spliced("a\nb\n", 1, 1, &[], false), "a");
        assert_eq!(spliced("a\nb", 1, 1, &[], true), "a\n");
        assert_eq!(spliced("a\n", 0, 1, &[], true), "");
    }

    #[test]
    fn a_second_byte_order_mark_is_not_added() {
        assert_eq!(spliced("\u{feff}a\n", 0, 1, &["\u{feff}b"], true), "\u{feff}b\n");
        assert_eq!(spliced("a\n", 0, 1, &["\u{feff}b"], true), "\u{feff}b\n");
    }
}
