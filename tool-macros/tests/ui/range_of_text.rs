use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(range = 1..=10)] x: String,
) -> String { String::new() }

fn main() {}
