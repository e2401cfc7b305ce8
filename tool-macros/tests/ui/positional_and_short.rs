use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(positional, short = 'n')] x: u32,
) -> String { String::new() }

fn main() {}
