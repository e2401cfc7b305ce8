use tool_core::prelude::*;

/// Does it.
#[tool(surfaces())]
fn t() -> String { String::new() }

fn main() {}
