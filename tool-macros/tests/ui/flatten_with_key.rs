use tool_core::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page {
    n: u32,
}

/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(flatten, default)] x: Page,
) -> String { String::new() }

fn main() {}
