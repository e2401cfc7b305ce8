use tool_core::prelude::*;

/// Does it.
#[example("One", {})]
#[tool]
fn t() {}

fn main() {}
