use tool_core::prelude::*;

/// Does it.
#[tool(aliases = ["a b"])]
fn t() -> String { String::new() }

fn main() {}
