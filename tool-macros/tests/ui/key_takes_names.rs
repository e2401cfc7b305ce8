use tool_core::prelude::*;

/// Does it.
#[tool(surfaces = "cli")]
fn t() -> String { String::new() }

fn main() {}
