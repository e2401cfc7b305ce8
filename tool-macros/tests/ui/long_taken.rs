use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(long = "size")] limit: u32,
    /// What.
    size: u32,
) -> String { String::new() }

fn main() {}
