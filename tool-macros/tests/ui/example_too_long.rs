use tool_core::prelude::*;

/// Does it.
#[tool]
#[example("One", { "n": "long" })]
fn t(
    /// What.
    #[arg(len = ..=3)] n: &str,
) -> String { String::new() }

fn main() {}
