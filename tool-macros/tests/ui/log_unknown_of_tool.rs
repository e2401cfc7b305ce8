use tool_core::prelude::*;

/// Does it.
#[tool(log = "short")]
fn t() -> String { String::new() }

fn main() {}
