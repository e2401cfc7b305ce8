use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(len = -1..=2)] x: &str,
) -> String { String::new() }

fn main() {}
