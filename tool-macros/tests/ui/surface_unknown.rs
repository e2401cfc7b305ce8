use tool_core::prelude::*;

/// Does it.
#[tool(surfaces(web))]
fn t() -> String { String::new() }

fn main() {}
