//! The errors of the edit engines: each code of files.md §3 that a patch can meet, with its words, in one place.
//!
//! An engine only computes, so each error says that nothing was changed. Errors of paths and files are the workspace's.

use sha2::{Digest, Sha256};
use tool_core::{Effect, ErrorKind, ToolError};

/// An error of an edit that was not made.
pub(crate) fn refuse(kind: ErrorKind, code: &'static str, message: impl Into<String>) -> ToolError {
    ToolError::new(kind, message.into()).code(code).effect(Effect::None)
}

/// An error of the arguments.
pub(crate) fn invalid(code: &'static str, message: impl Into<String>) -> ToolError {
    refuse(ErrorKind::InvalidArgs, code, message)
}

/// An error of the arguments with a quoted line of the patch; records have the sentence without it.
pub(crate) fn quoting(code: &'static str, sentence: String, quoted: &str) -> ToolError {
    invalid(code, format!("{sentence}.")).quoting_message(format!("{sentence}: {quoted}."))
}

/// An error of arguments that do not fit the file as it is.
pub(crate) fn conflict(code: &'static str, message: impl Into<String>) -> ToolError {
    refuse(ErrorKind::Conflict, code, message)
}

/// The result would be the file as it is.
pub(crate) fn no_change() -> ToolError {
    invalid("patch_no_change", "The file would stay as it is.")
}

/// The patch has more bytes than the limit.
pub(crate) fn patch_too_large(patch: &[u8], limit: u64) -> ToolError {
    let bytes = patch.len();
    invalid("patch_too_large", format!("Patch too large ({bytes} bytes; the limit is {limit})."))
        .detail("bytes", bytes)
        .detail("sha256", sha256(patch))
}

/// The patch has more hunks than the limit.
pub(crate) fn too_many_hunks(patch: &[u8], limit: u64) -> ToolError {
    let message = format!("Patch too large (more than {limit} hunks).");
    invalid("patch_too_large", message)
        .hint("send it in parts")
        .detail("bytes", patch.len())
        .detail("sha256", sha256(patch))
}

/// The new file would have more bytes than the limit.
pub(crate) fn result_too_large(bytes: usize, limit: u64) -> ToolError {
    invalid("content_too_large", format!("Content too large ({bytes} bytes; the limit is {limit})."))
        .detail("bytes", bytes)
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
