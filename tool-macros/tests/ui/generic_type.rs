use tool_core::prelude::*;

/// Does it.
#[tool]
fn t<T: Clone>(
    /// What.
    x: T,
) -> String { String::new() }

fn main() {}
