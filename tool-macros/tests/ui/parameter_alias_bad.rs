use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(aliases = ["a b"])] x: u32,
) -> String { String::new() }

fn main() {}
