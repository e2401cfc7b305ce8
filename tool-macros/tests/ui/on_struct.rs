use tool_core::prelude::*;

/// Does it.
#[tool]
struct A;

fn main() {}
