use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(log = "short")] x: &str,
) -> String { String::new() }

fn main() {}
