use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(range = 5)] x: u32,
) -> String { String::new() }

fn main() {}
