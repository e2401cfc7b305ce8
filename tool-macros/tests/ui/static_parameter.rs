use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    x: &'static str,
) -> String { String::new() }

fn main() {}
