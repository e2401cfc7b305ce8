use tool_core::prelude::*;

/// Does it.
#[tool]
#[example("Without a result", {} =>)]
fn t() {}

fn main() {}
