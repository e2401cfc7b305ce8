//! Why a hunk does not fit, in a way that lets the caller repair it: the first difference, the nearest place, whether only
//! white space differs, whether the change is there already.

use serde_json::{Value, json};
use tool_core::ToolError;

use super::body::{Hunk, Role};
use super::fit::Fitter;
use super::index::Nearest;
use super::side::{End, Side};
use crate::edit::quote::{cut, quoted};
use crate::edit::refusal;

/// The error of a hunk that fits nowhere; `expected` is the line before which it should start, counted from 0.
pub(super) fn error(
    fitter: &mut Fitter<'_, '_>,
    hunk: &Hunk<'_>,
    side: &Side<'_>,
    expected: usize,
) -> ToolError {
    let from = fitter.from;
    let nearest = fitter.index().nearest(&side.lines, from, expected);
    let already_applied = is_applied(fitter, hunk);
    let difference = Difference::find(fitter, side, expected);
    let mut error = refusal::conflict(
        "patch_context_mismatch",
        format!("Hunk {} does not match at line {}.", hunk.number, difference.line + 1),
    )
    .quoting_message(format!(
        "Hunk {} does not match at line {}: {}.",
        hunk.number,
        difference.line + 1,
        difference.text
    ))
    .detail("hunk", hunk.number)
    .detail("patch_line", patch_line(hunk, difference.line.saturating_sub(expected)))
    .detail("expected_line", expected + 1)
    .content_detail("first_difference", difference.json(fitter.echo))
    .detail("already_applied", already_applied);
    if let Some(Nearest { at, equal_lines }) = nearest {
        let place = json!({"line": at + 1, "equal_lines": equal_lines, "of": side.lines.len()});
        error = error.detail("nearest", place);
    }
    match hint(fitter, side, expected, nearest, already_applied) {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// The line of the patch with old line `index` of the hunk.
fn patch_line(hunk: &Hunk<'_>, index: usize) -> usize {
    let old = hunk.positions(Role::is_old).nth(index).and_then(|at| hunk.lines.get(at));
    old.map_or(hunk.line, |line| line.line)
}

fn is_applied(fitter: &mut Fitter<'_, '_>, hunk: &Hunk<'_>) -> bool {
    let (new, from) = (Side::new(hunk, fitter.ends), fitter.from);
    !fitter.index().find(&new.lines, from, 1).is_empty()
}

/// The first old line of a hunk that is not in the file where it should be.
struct Difference<'a> {
    /// Counted from 0.
    line: usize,
    expected: &'a [u8],
    found: Option<&'a [u8]>,
    /// What was expected and found, for people.
    text: String,
}

impl<'a> Difference<'a> {
    fn find(fitter: &Fitter<'_, 'a>, side: &Side<'a>, expected: usize) -> Self {
        let differs = side.lines.iter().enumerate().find(|(at, line)| !fitter.equals(line, expected + at));
        match differs {
            Some((at, line)) => Self::of_lines(fitter, line, expected + at),
            None => Self::of_end(fitter, side, expected),
        }
    }

    fn of_lines(fitter: &Fitter<'_, 'a>, expected: &'a [u8], line: usize) -> Self {
        let found = fitter.document.line(line).map(|there| fitter.ends.of_file(there));
        let shown = found.map_or("the end of the file".to_owned(), |line| quoted(line, fitter.echo));
        Self {
            line,
            expected,
            found,
            text: format!("expected {}, found {shown}", quoted(expected, fitter.echo)),
        }
    }

    /// All lines are there, but not at the end of the file, or that ends otherwise than the patch says.
    fn of_end(fitter: &Fitter<'_, 'a>, side: &Side<'a>, expected: usize) -> Self {
        let last = expected + side.lines.len().saturating_sub(1);
        let line = side.lines.last().copied().unwrap_or_default();
        if let Some(below) = fitter.document.line(last + 1) {
            let found = fitter.ends.of_file(below);
            let text = format!("expected the end of the file, found {}", quoted(found, fitter.echo));
            return Self { line: last + 1, expected: b"", found: Some(found), text };
        }
        let (wanted, there) = match side.end {
            End::WithoutNewline => ("no newline", "one"),
            End::WithNewline | End::Anywhere => ("a newline", "none"),
        };
        let text = format!("expected {wanted} after {}, found {there}", quoted(line, fitter.echo));
        Self { line: last, expected: line, found: Some(line), text }
    }

    fn json(&self, echo: u64) -> Value {
        let found = self.found.map(|line| cut(line, echo));
        json!({"line": self.line + 1, "expected": cut(self.expected, echo), "found": found})
    }
}

fn hint(
    fitter: &Fitter<'_, '_>,
    side: &Side<'_>,
    expected: usize,
    nearest: Option<Nearest>,
    already_applied: bool,
) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(Nearest { at, equal_lines }) = nearest {
        let of = side.lines.len();
        parts.push(format!("the nearest place is line {} ({equal_lines} of {of} lines are equal)", at + 1));
    }
    let places = [Some(expected), nearest.map(|place| place.at)];
    if places.into_iter().flatten().any(|place| differs_in_space(fitter, side, place)) {
        parts.push("it differs only in white space".to_owned());
    }
    if already_applied {
        parts.push("the new lines are there already".to_owned());
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Whether the lines are those of the file once white space is left out.
fn differs_in_space(fitter: &Fitter<'_, '_>, side: &Side<'_>, place: usize) -> bool {
    let mut differs = false;
    for (at, line) in side.lines.iter().enumerate() {
        let Some(there) = fitter.document.line(place + at) else { return false };
        let there = fitter.ends.of_file(there);
        if !without_space(line).eq(without_space(there)) {
            return false;
        }
        differs |= *line != there;
    }
    differs
}

fn without_space(line: &[u8]) -> impl Iterator<Item = u8> {
    line.iter().copied().filter(|byte| !byte.is_ascii_whitespace())
}
