use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(len = ..=3, default = "long")] x: &str,
) -> String { String::new() }

fn main() {}
