use tool_core::prelude::*;

fn undo() {}

/// Does it.
#[tool(side_effect, idempotent, reconcile = undo, replay = "manual")]
fn t() -> String { String::new() }

fn main() {}
