use tool_core::prelude::*;

/// Does it.
#[tool(side_effect)]
fn t() -> String { String::new() }

fn main() {}
