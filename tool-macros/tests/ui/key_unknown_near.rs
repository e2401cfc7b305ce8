use tool_core::prelude::*;

/// Does it.
#[tool(grup = "file")]
fn t() -> String { String::new() }

fn main() {}
