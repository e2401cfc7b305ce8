use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    x: &mut String,
) -> String { String::new() }

fn main() {}
