use tool_core::prelude::*;

/// Does it.
#[tool(side_effect, idempotent, reconcile)]
fn t() -> String { String::new() }

fn main() {}
