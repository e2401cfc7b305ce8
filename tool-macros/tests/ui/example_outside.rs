use tool_core::prelude::*;

/// Does it.
#[tool]
#[example("One", { "n": 0 })]
fn t(
    /// What.
    #[arg(range = 1..=10)] n: u32,
) -> String { String::new() }

fn main() {}
