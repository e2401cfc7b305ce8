use tool_core::prelude::*;

struct Opaque;

/// Does it.
#[tool]
fn t(
    /// What.
    x: Opaque,
) -> String { String::new() }

fn main() {}
