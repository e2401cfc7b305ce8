use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(header = "X-Tags")] x: Vec<String>,
) -> String { String::new() }

fn main() {}
