use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(aliases = ["y"])] x: u32,
    /// What.
    y: u32,
) -> String { String::new() }

fn main() {}
