use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[cfg(unix)]
    x: u32,
) -> String { String::new() }

fn main() {}
