use tool_core::prelude::*;

/// Does it.
#[tool]
mod a {}

fn main() {}
