use tool_core::prelude::*;

/// Does it.
#[tool]
#[example("One", { "key": "x" })]
fn t(
    /// What.
    #[arg(secret)] key: Option<&str>,
) -> String { String::new() }

fn main() {}
