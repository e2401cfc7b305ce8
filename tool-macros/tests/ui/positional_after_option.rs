use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(positional)] a: Option<u32>,
    /// What.
    #[arg(positional)] b: u32,
) -> String { String::new() }

fn main() {}
