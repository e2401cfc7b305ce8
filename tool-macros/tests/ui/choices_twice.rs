use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(choices = ["eu", "eu"])] x: &str,
) -> String { String::new() }

fn main() {}
