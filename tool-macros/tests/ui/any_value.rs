use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    x: serde_json::Value,
) -> String { String::new() }

fn main() {}
