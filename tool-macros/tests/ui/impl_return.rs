use tool_core::prelude::*;

/// Does it.
#[tool]
fn t() -> impl std::future::Future<Output = String> { async { String::new() } }

fn main() {}
