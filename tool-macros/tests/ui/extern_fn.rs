use tool_core::prelude::*;

/// Does it.
#[tool]
extern "C" fn t() -> String { String::new() }

fn main() {}
