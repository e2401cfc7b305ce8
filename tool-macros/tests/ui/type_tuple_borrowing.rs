use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    x: (&str, u8),
    /// What else.
    y: [&str; 2],
) -> String { format!("{x:?}{y:?}") }

fn main() {}
