use tool_core::prelude::*;

/// Does it.
#[tool]
#[example("One", { "n": "xx" })]
fn t(
    /// What.
    #[arg(choices = ["eu", "us"])] n: &str,
) -> String { String::new() }

fn main() {}
