use tool_core::prelude::*;

/// Does it.
#[tool("file")]
fn t() -> String { String::new() }

fn main() {}
