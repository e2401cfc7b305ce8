use tool_core::prelude::*;

#[tool]
fn read_file() -> String { String::new() }

fn main() {}
