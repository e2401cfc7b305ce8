use tool_core::prelude::*;

/// Does it.
#[tool(group = "a", group = "b")]
fn t() -> String { String::new() }

fn main() {}
