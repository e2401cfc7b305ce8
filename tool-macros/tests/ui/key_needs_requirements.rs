use tool_core::prelude::*;

/// Does it.
#[tool(requires)]
fn t() -> String { String::new() }

fn main() {}
