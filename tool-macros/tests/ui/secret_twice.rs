use tool_core::prelude::*;

/// Does it.
#[tool(requires(secret = "API_KEY", secret = "API_KEY"))]
fn t() -> String { String::new() }

fn main() {}
