use tool_core::prelude::*;

/// Does it.
#[tool(requires(secret(key = "REGION", choices = [])))]
fn t() -> String { String::new() }

fn main() {}
