//! How often something is repeated: the number of the specification with `TOOL_FULL=1`, a tenth of it otherwise.

/// A tenth of a number of rounds, or all of them.
pub(crate) fn rounds(full: usize) -> usize {
    if std::env::var("TOOL_FULL").as_deref() == Ok("1") { full } else { full.div_ceil(10) }
}
