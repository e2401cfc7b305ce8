use tool_core::prelude::*;

/// Does it.
#[tool]
#[example(" ", {})]
fn t() {}

fn main() {}
