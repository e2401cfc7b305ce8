use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(default = 5)] x: String,
) -> String { String::new() }

fn main() {}
