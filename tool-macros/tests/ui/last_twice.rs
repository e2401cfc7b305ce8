use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(last)] x: Vec<String>,
    /// What else.
    #[arg(last)] y: Vec<String>,
) -> String { String::new() }

fn main() {}
