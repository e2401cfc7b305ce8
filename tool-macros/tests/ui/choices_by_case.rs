use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(choices = ["EU", "eu"])] x: &str,
) -> String { String::new() }

fn main() {}
