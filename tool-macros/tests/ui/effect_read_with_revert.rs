use tool_core::prelude::*;

fn undo() {}

/// Does it.
#[tool(revert = undo)]
fn t() -> String { String::new() }

fn main() {}
