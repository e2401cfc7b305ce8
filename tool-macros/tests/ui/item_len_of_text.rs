use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(item_len = 1..=10)] x: &str,
) -> String { String::new() }

fn main() {}
