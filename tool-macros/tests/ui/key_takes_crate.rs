use tool_core::prelude::*;

/// Does it.
#[tool(crate = "tool_core")]
fn t() {}

fn main() {}
