use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(short = 'a')] #[arg(short = 'b')] x: u32,
) -> String { String::new() }

fn main() {}
