use tool_core::prelude::*;

/// Does it.
#[tool(name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
fn t() -> String { String::new() }

fn main() {}
