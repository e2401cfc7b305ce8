//! How often a law is tried: the number of the specification with `TOOL_FULL=1`, a tenth of it otherwise.

/// All of a number of rounds, or a tenth of them; `TOOL_LAW_VALUES` sets another number.
pub fn rounds(full: usize) -> usize {
    let set = std::env::var("TOOL_LAW_VALUES").ok().and_then(|number| number.parse().ok());
    set.unwrap_or_else(|| tool_trials::rounds(full))
}
