use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(cx: &ToolContext, again: &ToolContext) -> String { String::new() }

fn main() {}
