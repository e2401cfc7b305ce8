use tool_core::prelude::*;

/// Does it.
#[tool(aliases = ["a", "b", "a"])]
fn t() -> String { String::new() }

fn main() {}
