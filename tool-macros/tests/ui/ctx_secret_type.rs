use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(#[ctx(secret = "API_KEY")] key: &str) -> String { String::new() }

fn main() {}
