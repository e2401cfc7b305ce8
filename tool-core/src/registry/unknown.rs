//! The error for names that no tool has: one sentence, wherever tools are asked for by name.

use crate::args::{shown_name, suggest};
use crate::error::ToolError;

/// The error for names that no tool has, with those nearest to the first that may be told: `known`, each with one of its
/// spellings ([`ToolEntry::spellings`](super::ToolEntry::spellings)).
///
/// It is `not_found`, code `unknown_tool`.
pub fn unknown_tool<'a>(names: &[&str], known: impl IntoIterator<Item = (&'a str, &'a str)>) -> ToolError {
    let near = names.first().map(|first| suggest(first, known)).unwrap_or_default();
    let shown: Vec<&str> = names.iter().map(|name| shown_name(name)).collect();
    let message = format!("There is no tool `{}`.", shown.join("`, `"));
    let error = ToolError::not_found(message).code("unknown_tool");
    if near.is_empty() { error } else { error.hint(format!("did you mean: {}?", near.join(", "))) }
}
