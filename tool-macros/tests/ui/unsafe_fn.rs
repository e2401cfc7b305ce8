use tool_core::prelude::*;

/// Does it.
#[tool]
unsafe fn t() -> String { String::new() }

fn main() {}
