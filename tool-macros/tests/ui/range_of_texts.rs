use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(range = "a".."b")]
    x: u32,
) { let _ = x; }

fn main() {}
