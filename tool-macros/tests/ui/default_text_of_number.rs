use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(default = "10")] x: u32,
) -> String { String::new() }

fn main() {}
