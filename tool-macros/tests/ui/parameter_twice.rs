use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(name = "a")] x: u32,
    /// What.
    a: u32,
) -> String { String::new() }

fn main() {}
