use tool_core::prelude::*;

/// Does it.
#[tool]
#[example("One", { "x": "a" })]
fn t(
    /// What.
    x: f64,
) -> String { String::new() }

fn main() {}
