use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(default(5))]
    x: u32,
) { let _ = x; }

fn main() {}
