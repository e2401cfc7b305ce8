use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(requires = ["x"])] x: Option<u32>,
) -> String { String::new() }

fn main() {}
