use tool_core::prelude::*;

/// Does it.
#[tool(handle = "ReadTool")]
fn t() -> String { String::new() }

fn main() {}
