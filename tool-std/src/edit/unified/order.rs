//! Rules between the hunks of a patch: marks of a missing newline only at its very end, and hunks in order.
//! (Source: files.md §7, rules 6 and 7.)

use tool_core::ToolError;

use super::body::{Hunk, Role};
use crate::edit::refusal;

/// Checks all hunks of a patch.
pub(super) fn check(hunks: &[Hunk<'_>]) -> Result<(), ToolError> {
    marks(hunks)?;
    overlaps(hunks)
}

fn marks(hunks: &[Hunk<'_>]) -> Result<(), ToolError> {
    for hunk in hunks {
        let is_last = hunk.number == hunks.len();
        let last_old = hunk.positions(Role::is_old).next_back();
        let last_new = hunk.positions(Role::is_new).next_back();
        for (at, line) in hunk.lines.iter().enumerate() {
            let Some(mark) = line.mark else { continue };
            let ends_old = !line.role.is_old() || last_old == Some(at);
            let ends_new = !line.role.is_new() || last_new == Some(at);
            if !(is_last && ends_old && ends_new) {
                return Err(hunk.misplaced_mark(mark));
            }
        }
    }
    Ok(())
}

fn overlaps(hunks: &[Hunk<'_>]) -> Result<(), ToolError> {
    for (before, hunk) in hunks.iter().zip(hunks.iter().skip(1)) {
        if hunk.header.start() < before.header.start() + before.changed_until() {
            return Err(overlap(before, hunk));
        }
    }
    Ok(())
}

fn overlap(before: &Hunk<'_>, hunk: &Hunk<'_>) -> ToolError {
    let message = format!(
        "Hunk {} (line {}) starts before the last changed line of hunk {}.",
        hunk.number, hunk.line, before.number
    );
    refusal::invalid("patch_overlap", message)
        .hint("sort the hunks by line number, and join those that overlap")
        .detail("hunk", hunk.number)
        .detail("line", hunk.line)
}
