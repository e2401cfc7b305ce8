//! The lines of a file as numbers, equal lines alike, so that hunks are found in time linear in the file.

use std::collections::HashMap;

use super::ends::Ends;
use crate::edit::document::Document;
use crate::edit::occurrences::Occurrences;

/// Comparisons spent on finding the nearest place.
const NEAREST_COMPARISONS: usize = 50_000_000;

/// The lines of one file.
#[derive(Debug)]
pub(super) struct Index<'a> {
    numbers: HashMap<&'a [u8], u32>,
    lines: Vec<u32>,
}

/// A place that fits in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nearest {
    pub(super) at: usize,
    pub(super) equal_lines: usize,
}

impl<'a> Index<'a> {
    pub(super) fn new(document: &Document<'a>, ends: Ends) -> Self {
        let mut numbers = HashMap::new();
        let mut lines = Vec::with_capacity(document.len());
        for line in document.lines() {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            lines.push(*numbers.entry(ends.of_file(line)).or_insert(next));
        }
        Self { numbers, lines }
    }

    /// The first places from line `from` on where all lines stand, at most `most` of them.
    pub(super) fn find(&self, wanted: &[&[u8]], from: usize, most: usize) -> Vec<usize> {
        let Some(wanted) =
            wanted.iter().map(|line| self.numbers.get(line).copied()).collect::<Option<Vec<_>>>()
        else {
            return Vec::new();
        };
        let lines = self.lines.get(from..).unwrap_or_default();
        Occurrences::new(&wanted, lines).take(most).map(|at| from + at).collect()
    }

    /// The place from line `from` on with most equal lines, of several the one nearest to `expected`. `None` when no line is
    /// equal anywhere, or when looking would take too long.
    pub(super) fn nearest(&self, wanted: &[&[u8]], from: usize, expected: usize) -> Option<Nearest> {
        if self.lines.len().saturating_mul(wanted.len()) > NEAREST_COMPARISONS {
            return None;
        }
        let wanted: Vec<Option<u32>> = wanted.iter().map(|line| self.numbers.get(line).copied()).collect();
        let count = |at: usize| {
            let there = self.lines.get(at..).unwrap_or_default();
            there.iter().zip(&wanted).filter(|(line, wanted)| **wanted == Some(**line)).count()
        };
        (from..self.lines.len())
            .map(|at| Nearest { at, equal_lines: count(at) })
            .filter(|place| place.equal_lines > 0)
            .min_by_key(|place| (usize::MAX - place.equal_lines, place.at.abs_diff(expected)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::line_end::LineEnd;

    fn index<'a>(file: &'a str) -> Index<'a> {
        Index::new(&Document::new(file.as_bytes()), Ends::Silent(LineEnd::Lf))
    }

    #[test]
    fn overlapping_places_are_all_found() {
        let index = index("a\na\nb\na\na\na\n");
        assert_eq!(index.find(&[b"a", b"a"], 0, 9), [0, 3, 4]);
        assert_eq!(index.find(&[b"a", b"a"], 1, 9), [3, 4]);
        assert_eq!(index.find(&[b"a", b"a"], 0, 2), [0, 3]);
        assert_eq!(index.find(&[b"a", b"x"], 0, 9), [0; 0]);
    }

    #[test]
    fn the_nearest_place_has_most_equal_lines() {
        let index = index("a\nb\nx\na\nc\n");
        assert_eq!(index.nearest(&[b"a", b"b", b"c"], 0, 4), Some(Nearest { at: 0, equal_lines: 2 }));
        assert_eq!(index.nearest(&[b"a"], 0, 4), Some(Nearest { at: 3, equal_lines: 1 }));
        assert_eq!(index.nearest(&[b"q"], 0, 4), None);
    }
}
