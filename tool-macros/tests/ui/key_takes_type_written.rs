use tool_core::prelude::*;

/// Does it.
#[tool(output = 5, group = "Files")]
fn t() {}

fn main() {}
