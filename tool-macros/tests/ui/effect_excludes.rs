use tool_core::prelude::*;

/// Does it.
#[tool(read_only, side_effect, idempotent)]
fn t() -> String { String::new() }

fn main() {}
