use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(aliases = ["z"])] x: u32,
    /// What.
    #[arg(aliases = ["z"])] y: u32,
) -> String { String::new() }

fn main() {}
