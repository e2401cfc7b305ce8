use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    _limit: u32,
) -> String { String::new() }

fn main() {}
