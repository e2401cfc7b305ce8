//! The unified diff of `edit_file`: all hunks apply exactly, or none.
//!
//! `parse` turns text into hunks, `fit` finds the place of each, this file turns them into changes of lines.
//! Names in a patch never choose a file, and white space always counts. (Source: files.md §7.)

mod body;
mod ends;
mod fit;
mod header;
mod index;
mod mismatch;
mod name;
mod order;
mod parse;
mod side;
mod source;
mod tail;

use tool_core::ToolError;

use super::document::Document;
use super::edited::{Applied, Edited, checked};
use super::excerpt::{Landed, excerpts};
use super::refusal;
use super::splice::{Added, Change, Ending, splice};
use crate::limits::Limits;
use body::{Hunk, Role};
use fit::Fitter;

/// Applies a patch to the bytes of a file. `name` is the last component of the file's path, for warnings alone.
///
/// # Errors
/// Those of files.md §3 for unified diffs, with `details` that say where.
pub fn apply(file: &[u8], patch: &str, name: &str, limits: &Limits) -> Result<Edited, ToolError> {
    check_size(patch, limits)?;
    let patch = parse::parse(patch.as_bytes(), limits)?;
    let document = Document::new(file);
    let places = places(&document, &patch, limits.echo_chars)?;
    let mut plan = Plan::default();
    for (hunk, place) in patch.hunks.iter().zip(&places) {
        plan.add(&document, &patch, hunk, *place);
    }
    let ending = Ending {
        final_newline: patch.final_newline().unwrap_or(document.ends_with_newline()),
        default: patch.ends.default_end(),
    };
    let bytes = checked(file, splice(&document, &plan.changes, ending), limits)?;
    Ok(Edited {
        excerpts: excerpts(&bytes, &plan.landed, limits),
        warnings: name::warnings(&patch.names, name, limits.echo_chars),
        bytes,
        hunks: plan.hunks,
        lines_added: plan.lines_added,
        lines_removed: plan.lines_removed,
    })
}

/// Refuses a patch that has more bytes than the limit, before anything else is looked at.
///
/// # Errors
/// `patch_too_large`.
pub fn check_size(patch: &str, limits: &Limits) -> Result<(), ToolError> {
    match patch.len() as u64 > limits.max_patch_bytes {
        true => Err(refusal::patch_too_large(patch.as_bytes(), limits.max_patch_bytes)),
        false => Ok(()),
    }
}

/// The index of the line before which each hunk starts.
fn places(document: &Document<'_>, patch: &parse::Patch<'_>, echo: u64) -> Result<Vec<usize>, ToolError> {
    let mut fitter = Fitter::new(document, patch.ends, echo);
    let mut places = Vec::with_capacity(patch.hunks.len());
    for hunk in &patch.hunks {
        places.push(fitter.place(hunk)?);
    }
    Ok(places)
}

/// The changes of all hunks, in file order, and what is said of them.
#[derive(Default)]
struct Plan<'a> {
    changes: Vec<Change<'a>>,
    landed: Vec<Landed>,
    hunks: Vec<Applied>,
    lines_added: usize,
    lines_removed: usize,
}

impl<'a> Plan<'a> {
    fn add(&mut self, document: &Document<'a>, patch: &parse::Patch<'a>, hunk: &Hunk<'a>, place: usize) {
        self.hunks.push(Applied {
            hunk: hunk.number,
            old_start: place + 1,
            old_lines: hunk.header.old_lines,
            new_start: self.in_new_file(place) + 1,
            new_lines: hunk.header.new_lines,
            shift: signed(place) - signed(hunk.header.start()),
        });
        let covered = place..place + hunk.header.old_lines;
        let mut at = place;
        for line in &hunk.lines {
            match line.role {
                Role::Context => at += 1,
                Role::Removed => {
                    self.remove(hunk.number, at);
                    at += 1;
                }
                Role::Added => {
                    self.insert(hunk.number, at, patch.ends.added(line, document, covered.clone(), at));
                }
            }
        }
    }

    fn remove(&mut self, hunk: usize, at: usize) {
        self.go_on_at(hunk, at);
        self.lines_removed += 1;
        if let Some(change) = self.changes.last_mut() {
            change.removed += 1;
        }
    }

    fn insert(&mut self, hunk: usize, at: usize, line: Added<'a>) {
        self.go_on_at(hunk, at);
        self.lines_added += 1;
        if let (Some(change), Some(landed)) = (self.changes.last_mut(), self.landed.last_mut()) {
            change.added.push(line);
            landed.lines += 1;
        }
    }

    /// Makes sure that the last change is one that goes on at line `at` of the old file.
    fn go_on_at(&mut self, hunk: usize, at: usize) {
        let goes_on = self.changes.last().is_some_and(|change| change.at + change.removed == at)
            && self.landed.last().is_some_and(|landed| landed.hunk == hunk);
        if !goes_on {
            self.landed.push(Landed { hunk, at: self.in_new_file(at), lines: 0 });
            self.changes.push(Change { at, removed: 0, added: Vec::new() });
        }
    }

    /// Where line `at` of the old file is once the changes before it are made.
    fn in_new_file(&self, at: usize) -> usize {
        at + self.lines_added - self.lines_removed
    }
}

fn signed(line: usize) -> i64 {
    i64::try_from(line).unwrap_or(i64::MAX)
}
