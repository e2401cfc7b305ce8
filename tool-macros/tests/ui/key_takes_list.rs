use tool_core::prelude::*;

/// Does it.
#[tool(aliases = "a")]
fn t() -> String { String::new() }

fn main() {}
