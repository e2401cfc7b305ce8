use tool_core::prelude::*;

/// Does it.
#[tool(timeout = "soon")]
fn t() -> String { String::new() }

fn main() {}
