use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(regex = "a")] x: &str,
) -> String { String::new() }

fn main() {}
