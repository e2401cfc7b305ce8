use tool_core::prelude::*;

/// Does it.
#[tool(at_least_one(x, y))]
fn t(
    /// What.
    x: Option<u32>,
) -> String { String::new() }

fn main() {}
