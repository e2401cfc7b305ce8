//! What an edit makes of a file, and what a result says of it. The same for all three engines.

use schemars::JsonSchema;
use serde::Serialize;
use tool_core::ToolError;

use super::excerpt::Excerpt;
use super::refusal;
use crate::limits::Limits;

/// The new file and what was done to get it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edited {
    /// The whole new file.
    pub bytes: Vec<u8>,
    /// Each hunk, patch or replacement, in file order.
    pub hunks: Vec<Applied>,
    /// Lines that were added.
    pub lines_added: usize,
    /// Lines that were removed.
    pub lines_removed: usize,
    /// The new text around each change, in file order.
    pub excerpts: Vec<Excerpt>,
    /// What the caller should know all the same.
    pub warnings: Vec<String>,
}

/// Where one hunk was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Applied {
    /// Its number in the call, from 1.
    pub hunk: usize,
    /// Its first line in the old file, from 1; for a pure insertion the line that came after it.
    pub old_start: usize,
    /// Lines of the old file that it covers, context included.
    pub old_lines: usize,
    /// Its first line in the new file, from 1.
    pub new_start: usize,
    /// Lines of the new file that it covers, context included.
    pub new_lines: usize,
    /// How many lines below the place it named it was found; negative above.
    pub shift: i64,
}

/// A result that is something new and not too large.
pub(crate) fn checked(old: &[u8], new: Vec<u8>, limits: &Limits) -> Result<Vec<u8>, ToolError> {
    if new == old {
        return Err(refusal::no_change());
    }
    if new.len() as u64 > limits.max_edit_file_bytes {
        return Err(refusal::result_too_large(new.len(), limits.max_edit_file_bytes));
    }
    Ok(new)
}
