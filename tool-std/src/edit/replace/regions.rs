//! The lines that replacements touch, joined where they share lines, so that a result can list them as hunks.

use std::ops::Range;

use crate::edit::document::{BOM, Document};
use crate::edit::edited::Applied;
use crate::edit::excerpt::Landed;

/// The touched lines of a file, in order.
#[derive(Debug)]
pub(super) struct Regions {
    listed: Vec<Region>,
    most: u64,
    /// The lines of the last region, listed or not.
    open: Range<usize>,
    lines: usize,
    unlisted: usize,
    /// How many bytes the new file has more, up to here.
    longer: isize,
}

/// Lines that are replaced together.
#[derive(Clone, Debug)]
struct Region {
    lines: Range<usize>,
    /// How many bytes the new file has more, above these lines and with them.
    longer_above: isize,
    longer: isize,
}

impl Regions {
    /// Lists at most so many.
    pub(super) fn new(most: u64) -> Self {
        Self { listed: Vec::new(), most, open: 0..0, lines: 0, unlisted: 0, longer: 0 }
    }

    /// Adds a replacement of bytes in `lines`; `joins` when the line behind becomes part of the last of them.
    pub(super) fn add(
        &mut self,
        document: &Document<'_>,
        lines: Range<usize>,
        found: &Range<usize>,
        written: usize,
        joins: bool,
    ) {
        let end = (lines.end + usize::from(joins)).min(document.len());
        let is_new = lines.start >= self.open.end || self.open.is_empty();
        if is_new {
            self.start(lines.start..end);
        } else {
            let end = end.max(self.open.end);
            self.lines += end - self.open.end;
            self.open.end = end;
        }
        self.longer += written.cast_signed() - found.len().cast_signed();
        if self.unlisted == 0
            && let Some(region) = self.listed.last_mut()
        {
            region.lines = self.open.clone();
            region.longer = self.longer;
        }
    }

    fn start(&mut self, lines: Range<usize>) {
        self.lines += lines.len();
        self.open = lines.clone();
        if (self.listed.len() as u64) < self.most {
            self.listed.push(Region { lines, longer_above: self.longer, longer: self.longer });
        } else {
            self.unlisted += 1;
        }
    }

    /// Lines of the old file that are touched.
    pub(super) fn lines(&self) -> usize {
        self.lines
    }

    /// Regions that are not listed.
    pub(super) fn unlisted(&self) -> usize {
        self.unlisted
    }

    /// The regions as hunks, and their lines in the new file.
    pub(super) fn applied(&self, before: &Document<'_>, after: &Document<'_>) -> (Vec<Applied>, Vec<Landed>) {
        let mark = |document: &Document<'_>| if document.has_bom() { BOM.len() } else { 0 };
        let lost_mark = mark(before).cast_signed() - mark(after).cast_signed();
        let new_offset = |line: usize, longer: isize| {
            let offset = before.start_of(line).saturating_add_signed(longer + lost_mark);
            offset.min(after.text().len())
        };
        let mut hunks = Vec::with_capacity(self.listed.len());
        let mut landed = Vec::with_capacity(self.listed.len());
        for (at, region) in self.listed.iter().enumerate() {
            let start = new_offset(region.lines.start, region.longer_above);
            let end = new_offset(region.lines.end, region.longer);
            let first = lines_before(after, start);
            let lines = lines_before(after, end).saturating_sub(first);
            hunks.push(Applied {
                hunk: at + 1,
                old_start: region.lines.start + 1,
                old_lines: region.lines.len(),
                new_start: first + 1,
                new_lines: lines,
                shift: 0,
            });
            landed.push(Landed { hunk: at + 1, at: first, lines });
        }
        (hunks, landed)
    }
}

/// How many lines end at or before an offset that is the start of a line, or the end of the text.
fn lines_before(document: &Document<'_>, offset: usize) -> usize {
    if offset >= document.text().len() { document.len() } else { document.line_at(offset) }
}
