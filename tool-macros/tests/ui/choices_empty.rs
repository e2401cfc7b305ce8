use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(choices = [])] x: &str,
) -> String { String::new() }

fn main() {}
