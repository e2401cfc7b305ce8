use tool_core::prelude::*;

/// Does it.
#[tool(requires = "API_KEY")]
fn t() -> String { String::new() }

fn main() {}
