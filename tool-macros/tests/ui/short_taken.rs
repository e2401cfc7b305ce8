use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(short = 'n')] limit: u32,
    /// What.
    #[arg(short = 'n')] name: u32,
) -> String { String::new() }

fn main() {}
