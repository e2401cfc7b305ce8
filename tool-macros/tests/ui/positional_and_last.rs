use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(positional, last)] x: Vec<String>,
) -> String { String::new() }

fn main() {}
