use tool_core::prelude::*;

/// Does it.
#[tool]
#[tool(group = "a")]
fn t() {}

fn main() {}
