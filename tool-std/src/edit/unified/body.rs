//! The body of a hunk: exactly as many old and new lines as its header declares, and the marks of a missing newline.
//!
//! In a body the first byte decides, so `--- a` is a removed line.

use super::header::Header;
use super::source::{Source, Text};
use super::tail::Tail;
use crate::edit::refusal;
use tool_core::ToolError;

/// A hunk as it stands in the patch.
#[derive(Clone, Debug)]
pub(super) struct Hunk<'a> {
    /// Its number, from 1.
    pub(super) number: usize,
    /// The line of its header in the patch, from 1.
    pub(super) line: usize,
    pub(super) header: Header,
    pub(super) lines: Vec<BodyLine<'a>>,
}

/// A line of a hunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyLine<'a> {
    pub(super) role: Role,
    /// Without the first byte and the LF; a CR before the LF stays.
    pub(super) bytes: &'a [u8],
    /// Its line in the patch, from 1.
    pub(super) line: usize,
    /// The line of the mark which says that it has no newline.
    pub(super) mark: Option<usize>,
}

/// Which side of a change a line is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Context,
    Removed,
    Added,
}

impl Role {
    /// The role of a line by its first byte; an empty line is a blank context line.
    pub(super) fn of(line: Text<'_>) -> Option<Self> {
        match line.bare().first() {
            None | Some(b' ') => Some(Role::Context),
            Some(b'-') => Some(Role::Removed),
            Some(b'+') => Some(Role::Added),
            Some(_) => None,
        }
    }

    pub(super) fn is_old(self) -> bool {
        self != Role::Added
    }

    pub(super) fn is_new(self) -> bool {
        self != Role::Removed
    }
}

impl<'a> Hunk<'a> {
    /// Reads the body behind a header.
    pub(super) fn read(
        source: &mut Source<'a>,
        number: usize,
        line: usize,
        header: Header,
    ) -> Result<Self, ToolError> {
        let mut hunk = Hunk { number, line, header, lines: Vec::new() };
        let (mut old, mut new) = (header.old_lines, header.new_lines);
        while old > 0 || new > 0 {
            let Some(text) = source.peek() else { return Err(hunk.count_mismatch(source)) };
            if text.is_mark() {
                hunk.mark(text)?;
            } else {
                let Some(role) = Role::of(text) else { return Err(hunk.foreign_line(source, text)) };
                let fits = (old > 0 || !role.is_old()) && (new > 0 || !role.is_new());
                if !fits {
                    return Err(hunk.count_mismatch(source));
                }
                old -= usize::from(role.is_old());
                new -= usize::from(role.is_new());
                hunk.push(role, text);
            }
            source.advance();
        }
        if let Some(text) = source.peek().filter(|text| text.is_mark()) {
            hunk.mark(text)?;
            source.advance();
        }
        Ok(hunk)
    }

    fn push(&mut self, role: Role, text: Text<'a>) {
        let bytes = match text.bare() {
            [] => text.bytes,
            _ => text.bytes.get(1..).unwrap_or_default(),
        };
        self.lines.push(BodyLine { role, bytes, line: text.number, mark: None });
    }

    /// Puts a `\` mark on the line before it.
    fn mark(&mut self, text: Text<'_>) -> Result<(), ToolError> {
        match self.lines.last_mut() {
            Some(line) if line.mark.is_none() => {
                line.mark = Some(text.number);
                Ok(())
            }
            _ => Err(self.misplaced_mark(text.number)),
        }
    }

    /// The old lines and the new lines, as positions in the body.
    pub(super) fn positions(&self, is_on_side: fn(Role) -> bool) -> impl DoubleEndedIterator<Item = usize> {
        self.lines.iter().enumerate().filter(move |(_, line)| is_on_side(line.role)).map(|(at, _)| at)
    }

    /// How many old lines come before the end of the last change; 0 when nothing changes.
    pub(super) fn changed_until(&self) -> usize {
        let end = self.lines.iter().rposition(|line| line.role != Role::Context).map_or(0, |last| last + 1);
        self.lines.iter().take(end).filter(|line| line.role.is_old()).count()
    }

    pub(super) fn misplaced_mark(&self, line: usize) -> ToolError {
        let message = format!(
            "Line {line} of the patch says \"no newline\" where the file goes on (hunk {}).",
            self.number
        );
        refusal::invalid("patch_invalid", message)
            .hint("this mark stands behind the last old or the last new line of the last hunk only")
            .detail("hunk", self.number)
            .detail("line", line)
    }

    /// A line that cannot stand in a body: another part of the patch has begun too early, or it is no part of a patch.
    fn foreign_line(&self, source: &Source<'_>, text: Text<'_>) -> ToolError {
        if Tail::of(source, source.position()).is_some_and(Tail::may_follow) {
            return self.count_mismatch(source);
        }
        let message = format!("Line {} of the patch has no marker (hunk {})", text.number, self.number);
        refusal::quoting("patch_invalid", message, &text.quoted())
            .hint("each line of a hunk starts with a space (kept), `-` (removed) or `+` (added)")
            .detail("hunk", self.number)
            .detail("line", text.number)
    }

    /// The counts of the header are not those of the body.
    pub(super) fn count_mismatch(&self, source: &Source<'_>) -> ToolError {
        let (old, new) = counts(source, self);
        let Header { old_lines, new_lines, .. } = self.header;
        let message = format!(
            "Hunk {} (line {}) declares {old_lines} old and {new_lines} new lines, its body has {old} and {new}. \
             Write {}.",
            self.number,
            self.line,
            self.header.with_counts(old, new)
        );
        refusal::invalid("patch_count_mismatch", message)
            .detail("hunk", self.number)
            .detail("line", self.line)
            .detail("old_lines", old)
            .detail("new_lines", new)
    }
}

/// The old and new lines that stand behind a header, whatever it declares; blank lines at the end are not counted.
fn counts(source: &Source<'_>, hunk: &Hunk<'_>) -> (usize, usize) {
    let (mut old, mut new) = (0, 0);
    let mut counted = (0, 0);
    for position in hunk.line.. {
        let Some(text) = source.get(position) else { break };
        let ends = matches!(Tail::of(source, position), Some(Tail::Signature | Tail::NextFile));
        if ends && old >= hunk.header.old_lines {
            break;
        }
        if text.is_mark() {
            continue;
        }
        let Some(role) = Role::of(text) else { break };
        old += usize::from(role.is_old());
        new += usize::from(role.is_new());
        if !text.bare().is_empty() {
            counted = (old, new);
        }
    }
    counted
}
