use tool_core::prelude::*;

/// Does it.
#[tool]
#[example("One", { "path": "a", "limit": 1.5 })]
fn t(
    /// What.
    path: &str,
    /// What.
    limit: Option<u32>,
) -> String { String::new() }

fn main() {}
