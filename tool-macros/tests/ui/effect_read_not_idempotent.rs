use tool_core::prelude::*;

/// Does it.
#[tool(idempotent = false)]
fn t() -> String { String::new() }

fn main() {}
