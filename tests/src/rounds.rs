//! How often a law is tried: the number of the specification with `TOOL_FULL=1`, a tenth of it otherwise.

/// All of a number of rounds, or a tenth of them; `TOOL_LAW_VALUES` sets another number.
pub fn rounds(full: usize) -> usize {
    let set = std::env::var("TOOL_LAW_VALUES").ok().and_then(|number| number.parse().ok());
    let is_full = || std::env::var("TOOL_FULL").as_deref() == Ok("1");
    set.unwrap_or_else(|| if is_full() { full } else { full.div_ceil(10) })
}
