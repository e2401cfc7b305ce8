use tool_core::prelude::*;

/// Does it.
#[tool(exactly_one(x))]
fn t(
    /// What.
    x: Option<u32>,
) -> String { String::new() }

fn main() {}
