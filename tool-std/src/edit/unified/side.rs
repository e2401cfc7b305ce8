//! One side of a hunk, as it is looked for in the file: its lines, and whether they must be the last ones.

use super::body::Hunk;
use super::ends::Ends;

/// The old or the new lines of a hunk.
#[derive(Debug)]
pub(super) struct Side<'a> {
    pub(super) lines: Vec<&'a [u8]>,
    pub(super) end: End,
}

/// Where in the file a side must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Anywhere.
    Anywhere,
    /// With the last line, which has no newline.
    WithoutNewline,
    /// With the last line, which has one.
    WithNewline,
}

impl<'a> Side<'a> {
    /// The lines that the patch expects.
    pub(super) fn old(hunk: &Hunk<'a>, ends: Ends) -> Self {
        let is_marked = |is_old: bool| {
            hunk.lines.iter().any(|line| {
                line.mark.is_some() && if is_old { line.role.is_old() } else { line.role.is_new() }
            })
        };
        let end = match (is_marked(true), is_marked(false)) {
            (true, _) => End::WithoutNewline,
            (false, true) => End::WithNewline,
            (false, false) => End::Anywhere,
        };
        let old = hunk.lines.iter().filter(|line| line.role.is_old());
        Self { lines: old.map(|line| ends.of_patch(line)).collect(), end }
    }

    /// The lines that the patch would leave.
    pub(super) fn new(hunk: &Hunk<'a>, ends: Ends) -> Self {
        let new = hunk.lines.iter().filter(|line| line.role.is_new());
        Self { lines: new.map(|line| ends.of_patch(line)).collect(), end: End::Anywhere }
    }
}
