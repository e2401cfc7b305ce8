use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(default = 1, required)] x: u32,
) -> String { String::new() }

fn main() {}
