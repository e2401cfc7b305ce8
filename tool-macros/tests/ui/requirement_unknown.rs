use tool_core::prelude::*;

/// Does it.
#[tool(requires(token = "X"))]
fn t() -> String { String::new() }

fn main() {}
