use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(hint = "picture")] x: &str,
) -> String { String::new() }

fn main() {}
