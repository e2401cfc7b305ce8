use tool_core::prelude::*;

/// Does it.
#[tool(hidden "file")]
fn t() -> String { String::new() }

fn main() {}
