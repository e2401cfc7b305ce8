use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(name = "_2nd")] other: u32,
) -> u32 { other }

fn main() {}
