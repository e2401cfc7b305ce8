use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(positional)] x: bool,
) -> String { String::new() }

fn main() {}
