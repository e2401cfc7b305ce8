use tool_core::prelude::*;

/// Does it.
#[tool(replay = "manual")]
fn t() -> String { String::new() }

fn main() {}
