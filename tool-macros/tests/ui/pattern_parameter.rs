use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    (a, b): (u32, u32),
) -> String { String::new() }

fn main() {}
