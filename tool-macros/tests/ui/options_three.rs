use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    x: Option<Option<Option<u32>>>,
) -> String { String::new() }

fn main() {}
