use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(secret, header = "X-Key")] x: &str,
) -> String { String::new() }

fn main() {}
