use tool_core::prelude::*;

/// Does it.
#[tool(group = "")]
fn t() -> String { String::new() }

fn main() {}
