use tool_core::prelude::*;

/// Does it.
#[tool(readonly)]
fn t() -> String { String::new() }

fn main() {}
