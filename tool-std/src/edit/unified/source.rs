//! The lines of a patch, numbered as errors name them, and how far it has been read.

use crate::edit::line_end::without_cr;
use crate::edit::quote::quoted;

/// A line of the patch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    /// From 1.
    pub(super) number: usize,
    /// Without the LF; a CR before it stays.
    pub(super) bytes: &'a [u8],
    /// How many characters of it an error quotes.
    pub(super) echo: u64,
}

impl<'a> Text<'a> {
    /// The line without the CR at its end, by which its role is recognised.
    pub(super) fn bare(self) -> &'a [u8] {
        without_cr(self.bytes)
    }

    /// The line as errors quote it.
    pub(super) fn quoted(self) -> String {
        quoted(self.bare(), self.echo)
    }

    /// `--- NAME`.
    pub(super) fn is_old_name(self) -> bool {
        is_name(self.bytes, b"---")
    }

    /// `+++ NAME`.
    pub(super) fn is_new_name(self) -> bool {
        is_name(self.bytes, b"+++")
    }

    /// `\ No newline at end of file`, in any language.
    pub(super) fn is_mark(self) -> bool {
        self.bytes.starts_with(b"\\")
    }
}

fn is_name(line: &[u8], start: &[u8]) -> bool {
    line.strip_prefix(start).is_some_and(|rest| matches!(rest.first(), Some(b' ' | b'\t')))
}

/// A patch while it is read. Positions count from 0, so the position of a line is the number of the line above it.
#[derive(Debug)]
pub(super) struct Source<'a> {
    lines: Vec<&'a [u8]>,
    position: usize,
    echo: u64,
}

impl<'a> Source<'a> {
    /// Splits at LF; the last line needs none. `echo` is how many characters of a line errors quote.
    pub(super) fn new(patch: &'a [u8], echo: u64) -> Self {
        let mut lines: Vec<&[u8]> = patch.split(|byte| *byte == b'\n').collect();
        if lines.last().is_some_and(|last| last.is_empty()) {
            lines.pop();
        }
        Self { lines, position: 0, echo }
    }

    /// The line at a position.
    pub(super) fn get(&self, position: usize) -> Option<Text<'a>> {
        self.lines.get(position).map(|bytes| Text { number: position + 1, bytes, echo: self.echo })
    }

    /// The next line.
    pub(super) fn peek(&self) -> Option<Text<'a>> {
        self.get(self.position)
    }

    /// Where the next line is.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Goes on behind the next line.
    pub(super) fn advance(&mut self) {
        self.position += 1;
    }

    /// Whether only blank lines are left.
    pub(super) fn is_rest_blank(&self) -> bool {
        self.lines.iter().skip(self.position).all(|line| without_cr(line).is_empty())
    }
}
