use tool_core::prelude::*;

/// Does it.
#[tool]
#[example("One", { "db": 1 })]
fn t(#[ctx] db: &str) -> String { String::new() }

fn main() {}
