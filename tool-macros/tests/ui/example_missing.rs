use tool_core::prelude::*;

/// Does it.
#[tool]
#[example("One", { "limit": 1 })]
fn t(
    /// What.
    path: &str,
    /// What.
    limit: Option<u32>,
) -> String { String::new() }

fn main() {}
