use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    key: Secret,
) -> String { String::new() }

fn main() {}
