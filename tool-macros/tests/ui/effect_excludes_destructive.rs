use tool_core::prelude::*;

/// Does it.
#[tool(destructive, idempotent, read_only)]
fn t() -> String { String::new() }

fn main() {}
