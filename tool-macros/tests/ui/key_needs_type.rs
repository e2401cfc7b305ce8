use tool_core::prelude::*;

/// Does it.
#[tool(output)]
fn t() -> String { String::new() }

fn main() {}
