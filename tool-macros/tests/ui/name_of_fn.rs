use tool_core::prelude::*;

/// Does it.
#[tool]
fn größe() -> String { String::new() }

fn main() {}
