use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(choices = ["eu", "us"], default = "xx")] x: &str,
) -> String { String::new() }

fn main() {}
