use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(path: &str) -> String { String::new() }

fn main() {}
