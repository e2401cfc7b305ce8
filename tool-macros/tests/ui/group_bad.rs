use tool_core::prelude::*;

/// Does it.
#[tool(group = "My Files")]
fn t() -> String { String::new() }

fn main() {}
