use tool_core::prelude::*;

/// Does it.
#[tool(aliases)]
fn t() -> String { String::new() }

fn main() {}
