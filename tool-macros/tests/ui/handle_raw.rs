use tool_core::prelude::*;

/// Does it.
#[tool(handle = r#type)]
fn t() {}

fn main() {}
