use tool_core::prelude::*;

/// Does it.
#[tool(colour = "red")]
fn t() -> String { String::new() }

fn main() {}
