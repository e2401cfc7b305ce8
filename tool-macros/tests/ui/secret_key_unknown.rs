use tool_core::prelude::*;

/// Does it.
#[tool(requires(secret(key = "REGION", colour = "x")))]
fn t() -> String { String::new() }

fn main() {}
