use tool_core::prelude::*;

/// Does it.
#[tool(side_effect, idempotent, replay = "never")]
fn t() -> String { String::new() }

fn main() {}
