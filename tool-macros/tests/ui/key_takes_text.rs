use tool_core::prelude::*;

/// Does it.
#[tool(group = 5)]
fn t() -> String { String::new() }

fn main() {}
