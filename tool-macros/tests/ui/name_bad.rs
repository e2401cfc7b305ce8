use tool_core::prelude::*;

/// Does it.
#[tool(name = "2nd")]
fn t() -> String { String::new() }

fn main() {}
