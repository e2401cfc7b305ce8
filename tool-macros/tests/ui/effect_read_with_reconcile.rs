use tool_core::prelude::*;

fn undo() {}

/// Does it.
#[tool(reconcile = undo)]
fn t() -> String { String::new() }

fn main() {}
