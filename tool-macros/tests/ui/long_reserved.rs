use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    help: bool,
) -> String { String::new() }

fn main() {}
