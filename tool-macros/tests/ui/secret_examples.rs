use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(secret, examples = ["x"])] x: &str,
) -> String { String::new() }

fn main() {}
