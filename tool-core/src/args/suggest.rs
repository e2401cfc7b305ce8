//! Nearest names.

/// The nearest names.
pub fn nearest<'a>(_: &str, _: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<&'a str> {
    Vec::new()
}
