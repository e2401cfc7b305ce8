use tool_core::prelude::*;

/// Does it.
#[tool(requires(secret(label = "Key")))]
fn t() -> String { String::new() }

fn main() {}
