use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(secret, default = "x")] x: &str,
) -> String { String::new() }

fn main() {}
