use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(pattern = r"(a)\1")] x: &str,
) -> String { String::new() }

fn main() {}
