use tool_core::prelude::*;

/// Does it.
#[tool(tags = ["Net Work"])]
fn t() -> String { String::new() }

fn main() {}
