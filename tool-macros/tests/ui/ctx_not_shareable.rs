use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(#[ctx] cell: &std::cell::Cell<u8>) -> String { String::new() }

fn main() {}
