//! The line patches of `edit_lines`: ranges of lines by number, all meaning the file as it is before the call.
//!
//! All checks run over all patches, in the order of the table of files.md §9, before anything is built.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{ArgIssue, IssueCode, ToolError};

use super::document::{BOM, Document};
use super::edited::{Applied, Edited, checked};
use super::excerpt::{Landed, excerpts};
use super::line_end::{LineEnd, without_cr};
use super::quote::cut;
use super::refusal;
use super::splice::{Added, Change, Ending, splice};
use crate::limits::Limits;

/// Replaces, inserts or deletes lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinePatch {
    /// First line to replace, from 1; or the line before which to insert, up to one behind the last.
    #[schemars(range(min = 1))]
    pub start_line: u64,
    /// Last line to replace, included; 0 inserts before `start_line`.
    pub end_line: u64,
    /// The new lines; empty deletes. One final newline is dropped, so a blank line is a newline alone.
    #[schemars(extend("x-log" = "hash"))]
    pub content: String,
    /// The lines that must be there now; nothing is changed when others are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-log" = "hash"))]
    pub expect: Option<String>,
}

/// Applies line patches to the bytes of a file.
///
/// # Errors
/// Those of files.md §3 for line patches, with the `index` of the patch in `details`.
pub fn apply(file: &[u8], patches: &[LinePatch], limits: &Limits) -> Result<Edited, ToolError> {
    check_number(patches, limits)?;
    let document = Document::new(file);
    check_lines(patches, document.len())?;
    check_overlaps(patches)?;
    check_expectations(patches, &document, limits.echo_chars)?;

    let mut order: Vec<(usize, &LinePatch)> = patches.iter().enumerate().collect();
    order.sort_by_key(|(index, patch)| (patch.start_line, !patch.is_insert(), *index));
    let changes: Vec<Change<'_>> = order.iter().map(|(_, patch)| patch.change(&document)).collect();
    let ending = Ending { final_newline: document.ends_with_newline(), default: LineEnd::Lf };
    let bytes = checked(file, splice(&document, &changes, ending), limits)?;
    Ok(report(&order, &changes, bytes, limits))
}

impl LinePatch {
    fn is_insert(&self) -> bool {
        self.end_line == 0
    }

    /// Lines above the patch.
    fn at(&self) -> usize {
        usize::try_from(self.start_line.saturating_sub(1)).unwrap_or(usize::MAX)
    }

    fn removed(&self) -> usize {
        if self.is_insert() {
            return 0;
        }
        usize::try_from((self.end_line + 1).saturating_sub(self.start_line)).unwrap_or(usize::MAX)
    }

    /// The lines to write: none for an empty text, else one final LF is dropped.
    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let text = self.content.strip_suffix('\n').unwrap_or(&self.content);
        let is_empty = self.content.is_empty();
        text.as_bytes().split(|byte| *byte == b'\n').filter(move |_| !is_empty)
    }

    /// Whether the patch and another one touch the same line, or one inserts strictly inside the other.
    fn overlaps(&self, other: &LinePatch) -> bool {
        match (self.is_insert(), other.is_insert()) {
            (true, true) => false,
            (true, false) => other.start_line < self.start_line && self.start_line <= other.end_line,
            (false, true) => other.overlaps(self),
            (false, false) => self.start_line <= other.end_line && other.start_line <= self.end_line,
        }
    }

    fn change(&self, document: &Document<'_>) -> Change<'_> {
        let at = self.at();
        let above = at.checked_sub(1).and_then(|line| document.end_of(line));
        let end = match self.is_insert() {
            true => above.or_else(|| document.end_of(at)),
            false => document.end_of(at),
        };
        let end = end.unwrap_or(LineEnd::Lf);
        let text = |line| if end == LineEnd::CrLf { without_cr(line) } else { line };
        let added = self.lines().map(|line| Added { text: text(line), end: Some(end) }).collect();
        Change { at, removed: self.removed(), added }
    }
}

fn report(order: &[(usize, &LinePatch)], changes: &[Change<'_>], bytes: Vec<u8>, limits: &Limits) -> Edited {
    let mut edited = Edited::default();
    let mut landed = Vec::with_capacity(changes.len());
    for ((index, _), change) in order.iter().zip(changes) {
        let (hunk, lines) = (index + 1, change.added.len());
        let at = change.at + edited.lines_added - edited.lines_removed;
        landed.push(Landed { hunk, at, lines });
        edited.hunks.push(Applied {
            hunk,
            old_start: change.at + 1,
            old_lines: change.removed,
            new_start: at + 1,
            new_lines: lines,
            shift: 0,
        });
        edited.lines_added += lines;
        edited.lines_removed += change.removed;
    }
    edited.excerpts = excerpts(&bytes, &landed, limits);
    edited.bytes = bytes;
    edited
}

/// Refuses a list without patches or with too many, before any file is looked at.
///
/// # Errors
/// `patch_empty`; `invalid_args` with an issue at `/patches`.
pub fn check_number(patches: &[LinePatch], limits: &Limits) -> Result<(), ToolError> {
    if patches.is_empty() {
        return Err(refusal::invalid("patch_empty", "There is no patch."));
    }
    if patches.len() as u64 > limits.max_line_patches {
        return Err(ToolError::invalid_args("Too many patches.").effect(tool_core::Effect::None).issue(
            ArgIssue {
                path: "/patches".to_owned(),
                code: IssueCode::Length,
                expected: format!("1 to {} items", limits.max_line_patches),
                got: format!("{} items", patches.len()),
                hint: Some("send them in several calls, the last lines first".to_owned()),
            },
        ));
    }
    Ok(())
}

/// The rows of the table about one patch alone; each row over all patches.
fn check_lines(patches: &[LinePatch], count: usize) -> Result<(), ToolError> {
    let last = count as u64;
    let out_of_range = |index: usize, what: String| {
        refusal::invalid("line_out_of_range", format!("patches[{index}] {what}; the file has {count} lines."))
            .detail("index", index)
            .detail("line_count", count)
    };
    let each = || patches.iter().enumerate();
    for (index, patch) in each().filter(|(_, patch)| !patch.is_insert() && patch.end_line >= patch.start_line)
    {
        if patch.start_line == 0 || patch.end_line > last {
            let what = format!("replaces lines {} to {}", patch.start_line, patch.end_line);
            return Err(out_of_range(index, what));
        }
    }
    for (index, patch) in each().filter(|(_, patch)| patch.is_insert()) {
        if patch.start_line == 0 || patch.start_line > last + 1 {
            return Err(out_of_range(index, format!("inserts before line {}", patch.start_line)));
        }
    }
    for (index, patch) in each().filter(|(_, patch)| !patch.is_insert()) {
        if patch.end_line < patch.start_line {
            let message = format!(
                "patches[{index}] ends at line {}, before its start_line {}.",
                patch.end_line, patch.start_line
            );
            return Err(refusal::invalid("end_before_start", message)
                .hint("end_line is included; 0 inserts before start_line")
                .detail("index", index));
        }
    }
    for (index, patch) in each() {
        if patch.is_insert() && patch.content.is_empty() {
            let message = format!("patches[{index}] inserts nothing.");
            return Err(refusal::invalid("empty_insert", message)
                .hint("a blank line is a newline alone")
                .detail("index", index));
        }
    }
    Ok(())
}

fn check_overlaps(patches: &[LinePatch]) -> Result<(), ToolError> {
    for (index, patch) in patches.iter().enumerate() {
        let mut later = patches.iter().enumerate().skip(index + 1);
        if let Some((other, _)) = later.find(|(_, other)| patch.overlaps(other)) {
            let message = format!("patches[{index}] and patches[{other}] change the same lines.");
            return Err(refusal::invalid("overlapping_patches", message)
                .hint("all line numbers mean the file as it is before the call; join these patches")
                .detail("indexes", vec![index, other]));
        }
    }
    Ok(())
}

fn check_expectations(patches: &[LinePatch], document: &Document<'_>, echo: u64) -> Result<(), ToolError> {
    let expecting = || {
        let each = patches.iter().enumerate();
        each.filter_map(|(index, patch)| patch.expect.as_deref().map(|expect| (index, patch, expect)))
    };
    if let Some((index, ..)) = expecting().find(|(_, patch, _)| patch.is_insert()) {
        let message = format!("patches[{index}] inserts, so there are no lines to expect.");
        return Err(ToolError::invalid_args(message).effect(tool_core::Effect::None).issue(ArgIssue {
            path: format!("/patches/{index}/expect"),
            code: IssueCode::Constraint,
            expected: "no expect where end_line is 0".to_owned(),
            got: "text".to_owned(),
            hint: None,
        }));
    }
    for (index, patch, expect) in expecting() {
        if !is_as_expected(patch, expect.as_bytes(), document) {
            let range = patch.at()..patch.at() + patch.removed();
            let message = format!(
                "patches[{index}] expects other lines than {} to {}.",
                patch.start_line, patch.end_line
            );
            return Err(refusal::conflict("lines_mismatch", message)
                .hint("read the lines again; details.found has them")
                .detail("index", index)
                .content_detail("found", found(document, range, echo)));
        }
    }
    Ok(())
}

/// Whether the replaced lines are the expected ones; a final LF and CRs at line ends do not count.
fn is_as_expected(patch: &LinePatch, expect: &[u8], document: &Document<'_>) -> bool {
    let meets_bom = patch.at() == 0 && document.has_bom();
    let expect = if meets_bom { expect.strip_prefix(BOM).unwrap_or(expect) } else { expect };
    let expect = expect.strip_suffix(b"\n").unwrap_or(expect);
    let expected = expect.split(|byte| *byte == b'\n').map(without_cr);
    let lines = (patch.at()..patch.at() + patch.removed()).filter_map(|line| document.line(line));
    expected.eq(lines.map(|line| without_cr(line.text())))
}

/// Lines that an error shows: the first ones of those that are there, each cut.
const FOUND_LINES: usize = 20;

fn found(document: &Document<'_>, lines: std::ops::Range<usize>, echo: u64) -> String {
    let there = lines.take(FOUND_LINES).filter_map(|line| document.line(line));
    let shown = there.map(|line| cut(line.text(), echo));
    shown.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(start_line: u64, end_line: u64, content: &str) -> LinePatch {
        LinePatch { start_line, end_line, content: content.to_owned(), expect: None }
    }

    fn expecting(start_line: u64, end_line: u64, expect: &str) -> LinePatch {
        LinePatch { expect: Some(expect.to_owned()), ..patch(start_line, end_line, "new") }
    }

    fn edited(file: &str, patches: &[LinePatch]) -> Result<String, ToolError> {
        let edited = apply(file.as_bytes(), patches, &Limits::default())?;
        Ok(String::from_utf8(edited.bytes).unwrap())
    }

    fn refused(file: &str, patches: &[LinePatch]) -> ToolError {
        edited(file, patches).unwrap_err()
    }

    #[test]
    fn the_first_overlapping_pair_is_named() {
        let overlapping = [patch(5, 6, "x"), patch(1, 2, "x"), patch(2, 0, "x"), patch(6, 6, "x")];
        let error = refused("1\n2\n3\n4\n5\n6\n", &overlapping);
        assert_eq!(error.code_str(), "overlapping_patches");
        assert_eq!(error.details()["indexes"], serde_json::json!([0, 3]));
        let disjoint = [patch(5, 6, "x"), patch(1, 2, "x"), patch(1, 0, "x"), patch(3, 0, "x")];
        assert_eq!(edited("1\n2\n3\n4\n5\n6\n", &disjoint).unwrap(), "x\nx\nx\n3\n4\nx\n");
    }

    #[test]
    fn an_end_before_the_start_is_refused() {
        let error = refused("a\nb\nc\n", &[patch(3, 2, "x")]);
        assert_eq!(
            (error.code_str(), &error.details()["index"]),
            ("end_before_start", &serde_json::json!(0))
        );
        assert_eq!(edited("a\nb\nc\n", &[patch(2, 2, "x")]).unwrap(), "a\nx\nc\n");
    }

    #[test]
    fn what_is_expected_must_be_there() {
        for expect in ["a\nb", "a\nb\n", "a\r\nb\r\n"] {
            assert_eq!(edited("a\r\nb\nc\n", &[expecting(1, 2, expect)]).unwrap(), "new\r\nc\n");
        }
        let error = refused("a\nb\n", &[expecting(2, 2, "c")]);
        assert_eq!(
            (error.code_str(), &error.details()["found"]),
            ("lines_mismatch", &serde_json::json!("b"))
        );
        assert_eq!(refused("a\n\n", &[expecting(1, 1, "")]).code_str(), "lines_mismatch");
        assert_eq!(edited("a\n\n", &[expecting(2, 2, "")]).unwrap(), "a\nnew\n");
    }

    #[test]
    fn an_insert_expects_nothing() {
        let error = refused("a\n", &[expecting(1, 0, "a")]);
        assert_eq!(error.arg_issues()[0].path, "/patches/0/expect");
        assert_eq!(edited("a\n", &[expecting(1, 1, "a")]).unwrap(), "new\n");
    }

    #[test]
    fn no_patch_and_too_many_are_refused() {
        assert_eq!(refused("a\n", &[]).code_str(), "patch_empty");
        let many = vec![patch(1, 0, "x"); 1_001];
        assert_eq!(refused("a\n", &many).arg_issues()[0].path, "/patches");
        assert!(edited("a\n", &many[1..]).is_ok());
    }

    #[test]
    fn an_edit_that_changes_nothing_is_refused() {
        assert_eq!(refused("a\nb\n", &[patch(2, 2, "b")]).code_str(), "patch_no_change");
        assert_eq!(refused("\u{feff}a\n", &[patch(1, 1, "\u{feff}a")]).code_str(), "patch_no_change");
    }

    #[test]
    fn a_carriage_return_that_was_given_stays_at_the_end_of_a_file_without_newline() {
        assert_eq!(edited("a\nb", &[patch(2, 2, "x\r")]).unwrap(), "a\nx\r");
        assert_eq!(edited("a\r\nb", &[patch(2, 2, "x\r")]).unwrap(), "a\r\nx");
    }

    #[test]
    fn each_patch_has_one_excerpt_in_file_order() {
        let patches = [patch(5, 5, "E"), patch(1, 0, "top")];
        let edited = apply(b"a\nb\nc\nd\ne\nf\n", &patches, &Limits::default()).unwrap();
        let shown: Vec<_> = edited.excerpts.iter().map(|e| (e.hunk, e.start_line, e.text.as_str())).collect();
        assert_eq!(shown, [(2, 1, "top\na\nb\n"), (1, 4, "c\nd\nE\nf\n")]);
        assert_eq!((edited.lines_added, edited.lines_removed), (2, 1));
    }

    #[test]
    fn hostile_numbers_are_refused_without_overflow() {
        assert_eq!(refused("a\n", &[patch(1, u64::MAX, "x")]).code_str(), "line_out_of_range");
        assert_eq!(refused("a\n", &[patch(u64::MAX, 0, "x")]).code_str(), "line_out_of_range");
        assert_eq!(refused("a\n", &[patch(0, 0, "x")]).code_str(), "line_out_of_range");
        assert!(edited("a\n", &[patch(2, 0, "x")]).is_ok());
    }
}
