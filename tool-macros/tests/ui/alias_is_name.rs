use tool_core::prelude::*;

/// Does it.
#[tool(aliases = ["t"])]
fn t() -> String { String::new() }

fn main() {}
