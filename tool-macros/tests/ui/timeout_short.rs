use tool_core::prelude::*;

/// Does it.
#[tool(timeout = "0s")]
fn t() -> String { String::new() }

fn main() {}
