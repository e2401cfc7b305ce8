use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(len = 1..=10)] x: u32,
) -> String { String::new() }

fn main() {}
