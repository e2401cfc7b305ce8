use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    x: impl Into<String>,
) -> String { String::new() }

fn main() {}
