use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(long = "Max Depth")] x: u32,
) -> String { String::new() }

fn main() {}
