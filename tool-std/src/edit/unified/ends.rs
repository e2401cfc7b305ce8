//! What the line ends of a patch mean for the file.
//!
//! A patch whose lines all end alike has usually lost the file's terminators on its way, so it says nothing about them;
//! one that mixes them means what it says. (Source: files.md §7, fitting, rule 1.)

use std::ops::Range;

use super::body::{BodyLine, Hunk};
use crate::edit::document::{Document, Line};
use crate::edit::line_end::{LineEnd, without_cr};
use crate::edit::splice::Added;

/// How lines of the patch and lines of the file compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// Without terminators; the file's are kept. The value is how all lines of the patch end.
    Silent(LineEnd),
    /// With their CR.
    Spoken,
}

impl Ends {
    /// Asks all body lines, but those without a newline.
    pub(super) fn of(hunks: &[Hunk<'_>]) -> Self {
        let asked = hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.mark.is_none());
        let (mut with, mut without) = (false, false);
        for line in asked {
            *(if line.bytes.ends_with(b"\r") { &mut with } else { &mut without }) = true;
        }
        match (with, without) {
            (true, true) => Ends::Spoken,
            (true, false) => Ends::Silent(LineEnd::CrLf),
            (false, _) => Ends::Silent(LineEnd::Lf),
        }
    }

    /// How a line ends where neither patch nor file says so.
    pub(super) fn default_end(self) -> LineEnd {
        match self {
            Ends::Silent(end) => end,
            Ends::Spoken => LineEnd::Lf,
        }
    }

    /// What is compared of a line of the patch.
    pub(super) fn of_patch<'a>(self, line: &BodyLine<'a>) -> &'a [u8] {
        match self {
            Ends::Silent(_) if line.mark.is_none() => without_cr(line.bytes),
            _ => line.bytes,
        }
    }

    /// What is compared of a line of the file.
    pub(super) fn of_file(self, line: Line<'_>) -> &[u8] {
        match self {
            Ends::Silent(_) => line.text(),
            Ends::Spoken => line.with_cr(),
        }
    }

    /// A line to add before line `at` of the file, by a hunk that covers the lines `covered`.
    pub(super) fn added<'a>(
        self,
        line: &BodyLine<'a>,
        document: &Document<'_>,
        covered: Range<usize>,
        at: usize,
    ) -> Added<'a> {
        if line.mark.is_some() {
            return Added { text: line.bytes, end: None };
        }
        let text = without_cr(line.bytes);
        let end = match self {
            Ends::Silent(default) => end_near(document, covered, at).unwrap_or(default),
            Ends::Spoken if text.len() < line.bytes.len() => LineEnd::CrLf,
            Ends::Spoken => LineEnd::Lf,
        };
        Added { text, end: Some(end) }
    }
}

/// The terminator of the nearest line above in the hunk, else below it, else of the line before the hunk, else after.
fn end_near(document: &Document<'_>, covered: Range<usize>, at: usize) -> Option<LineEnd> {
    let above = at.checked_sub(1);
    let above_in_hunk = above.filter(|line| covered.contains(line));
    let below_in_hunk = Some(at).filter(|line| covered.contains(line));
    [above_in_hunk, below_in_hunk, above, Some(at)]
        .into_iter()
        .flatten()
        .find_map(|line| document.end_of(line))
}
