//! Where each hunk belongs: at the place it names if it fits there, else at the only place further down where it does.
//!
//! Fitting is exact: every old line equal byte for byte. (Source: files.md §7, fitting, rules 2 and 3.)

use tool_core::ToolError;

use super::body::Hunk;
use super::ends::Ends;
use super::index::Index;
use super::mismatch;
use super::side::{End, Side};
use crate::edit::document::{BOM, Document};
use crate::edit::refusal;

/// Places that an error lists.
const CANDIDATES_MAX: usize = 10;

/// Finds places for hunks, in the order of the patch.
pub(super) struct Fitter<'d, 'a> {
    pub(super) document: &'d Document<'a>,
    pub(super) ends: Ends,
    /// How many characters of a line errors quote.
    pub(super) echo: u64,
    /// The line behind the last one that an earlier hunk changed.
    pub(super) from: usize,
    /// How far the hunk before was from the place it named.
    shift: isize,
    index: Option<Index<'a>>,
}

impl<'d, 'a> Fitter<'d, 'a> {
    pub(super) fn new(document: &'d Document<'a>, ends: Ends, echo: u64) -> Self {
        Self { document, ends, echo, from: 0, shift: 0, index: None }
    }

    /// The line before which a hunk starts, counted from 0.
    pub(super) fn place(&mut self, hunk: &Hunk<'_>) -> Result<usize, ToolError> {
        let side = Side::old(hunk, self.ends);
        let expected = hunk.header.start().saturating_add_signed(self.shift);
        let place = if self.fits(&side, expected) {
            expected
        } else if side.lines.is_empty() {
            return Err(self.out_of_range(hunk, expected));
        } else {
            self.search(hunk, &side, expected)?
        };
        self.from = place + hunk.changed_until();
        self.shift = place.cast_signed() - hunk.header.start().cast_signed();
        Ok(place)
    }

    fn search(&mut self, hunk: &Hunk<'_>, side: &Side<'_>, expected: usize) -> Result<usize, ToolError> {
        let candidates = self.candidates(side);
        match candidates.as_slice() {
            [] => Err(mismatch::error(self, hunk, side, expected)),
            [place] => Ok(*place),
            _ => Err(ambiguous(hunk, &candidates)),
        }
    }

    /// The first places that fit.
    fn candidates(&mut self, side: &Side<'_>) -> Vec<usize> {
        if side.end != End::Anywhere {
            let last = self.document.len().checked_sub(side.lines.len());
            return last.filter(|place| self.fits(side, *place)).into_iter().collect();
        }
        let from = self.from;
        let mut places = self.index().find(&side.lines, from, CANDIDATES_MAX);
        let meets_bom = side.lines.first().is_some_and(|line| line.starts_with(BOM));
        if meets_bom && !places.contains(&0) && self.fits(side, 0) {
            places.insert(0, 0);
        }
        places
    }

    pub(super) fn index(&mut self) -> &Index<'a> {
        self.index.get_or_insert_with(|| Index::new(self.document, self.ends))
    }

    /// Whether a side stands at a place.
    fn fits(&self, side: &Side<'_>, place: usize) -> bool {
        let behind = place.saturating_add(side.lines.len());
        place >= self.from
            && behind <= self.document.len()
            && self.ends_well(side.end, behind)
            && side.lines.iter().enumerate().all(|(at, line)| self.equals(line, place + at))
    }

    /// Whether a side that ends before line `behind` ends where it must.
    pub(super) fn ends_well(&self, end: End, behind: usize) -> bool {
        let is_end = behind == self.document.len();
        match end {
            End::Anywhere => true,
            End::WithoutNewline => is_end && !self.document.ends_with_newline(),
            End::WithNewline => is_end && self.document.ends_with_newline(),
        }
    }

    /// Whether a line of the patch is line `at` of the file; a byte-order mark that the file has is ignored.
    pub(super) fn equals(&self, line: &[u8], at: usize) -> bool {
        let Some(there) = self.document.line(at) else { return false };
        let there = self.ends.of_file(there);
        let ignores_bom = at == 0 && self.document.has_bom();
        line == there || (ignores_bom && line.strip_prefix(BOM) == Some(there))
    }

    fn out_of_range(&self, hunk: &Hunk<'_>, expected: usize) -> ToolError {
        let count = self.document.len();
        let message = match expected <= count {
            false => format!("Hunk {} adds lines after line {expected}; the file has {count}.", hunk.number),
            true => format!(
                "Hunk {} adds a last line without newline after line {expected}; it can only stand after line {count}, \
                 behind a newline.",
                hunk.number
            ),
        };
        refusal::invalid("patch_out_of_range", message)
            .detail("hunk", hunk.number)
            .detail("line", hunk.line)
            .detail("line_count", count)
    }
}

fn ambiguous(hunk: &Hunk<'_>, candidates: &[usize]) -> ToolError {
    let lines: Vec<usize> = candidates.iter().map(|place| place + 1).collect();
    let shown: Vec<String> = lines.iter().map(usize::to_string).collect();
    let message = format!("Hunk {} fits at several places: lines {}.", hunk.number, shown.join(", "));
    refusal::conflict("patch_ambiguous", message)
        .hint("give more context lines, or the right line numbers")
        .detail("hunk", hunk.number)
        .detail("patch_line", hunk.line)
        .detail("candidates", lines)
}
