use tool_core::prelude::*;

/// Does it.
#[tool]
fn t<const N: usize>() -> String { String::new() }

fn main() {}
