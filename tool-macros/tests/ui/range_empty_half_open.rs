use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(range = 3..3)] x: u32,
) -> String { String::new() }

fn main() {}
