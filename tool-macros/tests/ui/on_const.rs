use tool_core::prelude::*;

/// Does it.
#[tool]
const A: u8 = 1;

fn main() {}
