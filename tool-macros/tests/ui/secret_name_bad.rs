use tool_core::prelude::*;

/// Does it.
#[tool(requires(secret = "api-key"))]
fn t() -> String { String::new() }

fn main() {}
