use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    _: u32,
) -> String { String::new() }

fn main() {}
