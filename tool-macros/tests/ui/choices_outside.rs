use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(choices = ["eu", "europe"], len = ..=3)] x: &str,
) -> String { String::new() }

fn main() {}
