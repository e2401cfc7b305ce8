use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(header = "My Region")] x: &str,
) -> String { x.to_owned() }

fn main() {}
