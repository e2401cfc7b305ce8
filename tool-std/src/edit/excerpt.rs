//! What a result shows of each change: the new lines with a little around them, within a budget.

use schemars::JsonSchema;
use serde::Serialize;

use super::document::Document;
use crate::limits::Limits;

/// The new text around one change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Excerpt {
    /// The hunk, patch or replacement that made the change, from 1, in the order of the call.
    pub hunk: usize,
    /// Line number of the first line of `text`, in the new file.
    pub start_line: usize,
    /// The lines, with their terminators; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Whether `text` was cut because all excerpts together have a limit.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub cut: bool,
}

/// Lines of the new file that a change wrote; none for a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Landed {
    pub(crate) hunk: usize,
    /// Index of the first line, counted from 0.
    pub(crate) at: usize,
    pub(crate) lines: usize,
}

/// One excerpt per change, in the order given.
pub(crate) fn excerpts(file: &[u8], changes: &[Landed], limits: &Limits) -> Vec<Excerpt> {
    let document = Document::new(file);
    let around = usize::try_from(limits.excerpt_lines).unwrap_or(usize::MAX);
    let mut budget = usize::try_from(limits.excerpt_bytes).unwrap_or(usize::MAX);
    let mut shown = Vec::with_capacity(changes.len());
    for change in changes {
        let from = change.at.saturating_sub(around);
        let to = change.at.saturating_add(change.lines).saturating_add(around).min(document.len());
        let mut text = String::from_utf8_lossy(document.slice(from, to)).into_owned();
        let cut = text.len() > budget;
        text.truncate(text.floor_char_boundary(budget));
        budget -= text.len();
        shown.push(Excerpt { hunk: change.hunk, start_line: from + 1, text, cut });
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_the_lines_around_it() {
        let landed = [Landed { hunk: 1, at: 3, lines: 1 }, Landed { hunk: 2, at: 6, lines: 0 }];
        let shown = excerpts(b"1\n2\n3\n4\n5\n6\n", &landed, &Limits::default());
        assert_eq!((shown[0].start_line, shown[0].text.as_str()), (2, "2\n3\n4\n5\n6\n"));
        assert_eq!((shown[1].start_line, shown[1].text.as_str()), (5, "5\n6\n"));
    }

    #[test]
    fn all_excerpts_together_stay_within_the_budget() {
        let mut limits = Limits::default();
        limits.set("excerpt_bytes", 5).unwrap();
        let landed = [Landed { hunk: 1, at: 0, lines: 1 }, Landed { hunk: 2, at: 1, lines: 1 }];
        let shown = excerpts("éé\nb\n".as_bytes(), &landed, &limits);
        assert_eq!(shown.iter().map(|excerpt| excerpt.text.len()).sum::<usize>(), 5);
        assert!(shown[0].cut && shown[1].cut);
        limits.set("excerpt_bytes", 14).unwrap();
        assert!(excerpts("éé\nb\n".as_bytes(), &landed, &limits).iter().all(|excerpt| !excerpt.cut));
    }
}
