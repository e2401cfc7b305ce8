use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[serde(default)]
    x: u32,
) -> String { String::new() }

fn main() {}
