use tool_core::prelude::*;

/// Does it.
#[tool(destructive)]
fn t() -> String { String::new() }

fn main() {}
