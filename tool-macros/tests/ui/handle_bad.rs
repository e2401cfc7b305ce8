use tool_core::prelude::*;

/// Does it.
#[tool(handle = read)]
fn t() -> String { String::new() }

fn main() {}
