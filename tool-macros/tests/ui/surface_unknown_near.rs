use tool_core::prelude::*;

/// Does it.
#[tool(surfaces(cly))]
fn t() -> String { String::new() }

fn main() {}
