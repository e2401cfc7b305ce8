use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(pattern = "^a$")] x: u32,
) -> String { String::new() }

fn main() {}
