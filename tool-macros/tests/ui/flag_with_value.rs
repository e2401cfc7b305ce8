use tool_core::prelude::*;

/// Does it.
#[tool(hidden = true)]
fn t() -> String { String::new() }

fn main() {}
