use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(name = "max depth")] x: u32,
) -> String { String::new() }

fn main() {}
