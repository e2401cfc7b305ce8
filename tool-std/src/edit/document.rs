//! A file as lines that keep their own terminators, its byte-order mark set aside.
//!
//! A line ends at LF; a final LF ends the last line and starts no other. Bytes need not be UTF-8.

use super::line_end::LineEnd;

/// The UTF-8 byte-order mark.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// The lines of a file.
#[derive(Debug)]
pub struct Document<'a> {
    has_bom: bool,
    text: &'a [u8],
    /// Where each line starts, and the end of the text.
    bounds: Vec<usize>,
}

impl<'a> Document<'a> {
    /// Splits a file.
    pub fn new(file: &'a [u8]) -> Self {
        let (has_bom, text) = match file.strip_prefix(BOM) {
            Some(rest) => (true, rest),
            None => (false, file),
        };
        let mut bounds = vec![0];
        bounds.extend(text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1));
        if !text.is_empty() && !text.ends_with(b"\n") {
            bounds.push(text.len());
        }
        Self { has_bom, text, bounds }
    }

    /// Whether the file starts with a byte-order mark.
    pub fn has_bom(&self) -> bool {
        self.has_bom
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Line `index`, counted from 0.
    pub fn line(&self, index: usize) -> Option<Line<'a>> {
        let (start, end) = (self.bounds.get(index)?, self.bounds.get(index + 1)?);
        self.text.get(*start..*end).map(Line)
    }

    /// The bytes of the lines `from..to`, terminators included.
    pub(crate) fn slice(&self, from: usize, to: usize) -> &'a [u8] {
        match (self.bounds.get(from), self.bounds.get(to)) {
            (Some(start), Some(end)) => self.text.get(*start..*end).unwrap_or_default(),
            _ => &[],
        }
    }

    /// The index of the line that holds the byte at `offset` of the text behind the byte-order mark.
    pub(crate) fn line_at(&self, offset: usize) -> usize {
        self.bounds.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// Where line `index` starts in the text behind the byte-order mark; the end of the text for the line after the last.
    pub(crate) fn start_of(&self, index: usize) -> usize {
        self.bounds.get(index).copied().unwrap_or(self.text.len())
    }

    /// The text behind the byte-order mark.
    pub(crate) fn text(&self) -> &'a [u8] {
        self.text
    }

    /// All lines.
    pub fn lines(&self) -> impl Iterator<Item = Line<'a>> {
        (0..self.len()).filter_map(|index| self.line(index))
    }

    /// Whether nothing has to be added before a further line: the last line is terminated, or there is none.
    pub fn ends_with_newline(&self) -> bool {
        self.text.is_empty() || self.text.ends_with(b"\n")
    }

    /// How line `index` ends, or would end if it were not the last: as the line above it.
    pub fn end_of(&self, index: usize) -> Option<LineEnd> {
        let line = self.line(index)?;
        line.end().or_else(|| index.checked_sub(1).and_then(|above| self.line(above)?.end()))
    }
}

/// One line of a file with its terminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a>(&'a [u8]);

impl<'a> Line<'a> {
    /// The line without its terminator.
    pub fn text(self) -> &'a [u8] {
        LineEnd::split(self.0).0
    }

    /// The line without the LF at its end; a CR before it stays.
    pub fn with_cr(self) -> &'a [u8] {
        self.0.strip_suffix(b"\n").unwrap_or(self.0)
    }

    /// The terminator; none for an unterminated last line.
    pub fn end(self) -> Option<LineEnd> {
        LineEnd::split(self.0).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_final_newline_starts_no_line() {
        for (file, lines) in [("a\nb\n", 2), ("a\nb", 2), ("", 0), ("\n", 1), ("\u{feff}", 0)] {
            let document = Document::new(file.as_bytes());
            assert_eq!((document.len(), document.is_empty()), (lines, lines == 0), "{file:?}");
        }
    }

    #[test]
    fn the_lines_joined_are_the_text() {
        let document = Document::new(b"a\r\n\nb\rc");
        assert_eq!(document.slice(0, 3), b"a\r\n\nb\rc");
        assert_eq!(document.lines().map(Line::text).collect::<Vec<_>>(), [&b"a"[..], b"", b"b\rc"]);
        assert_eq!((document.line_at(0), document.line_at(3), document.line_at(4)), (0, 1, 2));
    }

    #[test]
    fn an_unterminated_line_would_end_as_the_line_above() {
        let document = Document::new(b"a\r\nb");
        assert_eq!(document.end_of(1), Some(LineEnd::CrLf));
        assert_eq!(Document::new(b"b").end_of(0), None);
    }
}
