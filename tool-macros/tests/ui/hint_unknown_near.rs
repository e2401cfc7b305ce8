use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(hint = "fil")] x: &str,
) -> String { String::new() }

fn main() {}
