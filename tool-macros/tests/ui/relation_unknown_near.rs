use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(requires = ["limt"])] x: u32,
    /// What.
    limit: Option<u32>,
) -> String { String::new() }

fn main() {}
