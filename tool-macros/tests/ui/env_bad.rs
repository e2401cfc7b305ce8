use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(env = "my-var")] x: u32,
) -> String { String::new() }

fn main() {}
