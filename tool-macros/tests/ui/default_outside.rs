use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(range = 1..=10, default = 11)] x: u32,
) -> String { String::new() }

fn main() {}
