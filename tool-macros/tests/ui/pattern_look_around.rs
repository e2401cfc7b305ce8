use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(pattern = "(?=a)b")] x: &str,
) -> String { String::new() }

fn main() {}
