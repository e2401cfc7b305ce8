use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(secret, log = "full")] x: &str,
) -> String { String::new() }

fn main() {}
