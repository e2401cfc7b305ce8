use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(#[ctx(secret = "API_KEY")] #[ctx(secret = "OTHER_KEY")] key: &Secret) -> String { String::new() }

fn main() {}
