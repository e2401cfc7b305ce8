use tool_core::prelude::*;

/// Does it.
#[tool(timeout = "2h")]
fn t() -> String { String::new() }

fn main() {}
