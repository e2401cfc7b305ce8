use tool_core::prelude::*;

/// Does it.
#[tool(side_effect, idempotent, revert = "undo")]
fn t() -> String { String::new() }

fn main() {}
