use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(default = true)] colour: bool,
    /// What.
    no_colour: bool,
) -> String { String::new() }

fn main() {}
