use tool_core::prelude::*;

/// Does it.
#[tool(tags = [1])]
fn t() -> String { String::new() }

fn main() {}
