use tool_core::prelude::*;

/// Does it.
#[tool(exactly_one)]
fn t() -> String { String::new() }

fn main() {}
