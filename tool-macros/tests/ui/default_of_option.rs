use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(default = 1)] x: Option<u32>,
) -> String { String::new() }

fn main() {}
