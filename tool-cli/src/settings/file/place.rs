//! Where in the file something stands.

use std::path::Path;

/// A mistake as it is told, with its place in front.
pub(super) fn mistake(path: &Path, text: &str, at: usize, why: &str) -> String {
    let (line, column) = place(text, at);
    format!("{}:{line}:{column}: {why}", path.display())
}

/// Line and column of a byte, both counted from 1, the column in characters.
pub(super) fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before.get(start..).unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}
