use tool_core::prelude::*;

/// Does it.
#[tool]
#[example("One", { "x": 1 })]
fn t(
    /// What.
    x: bool,
) -> String { String::new() }

fn main() {}
