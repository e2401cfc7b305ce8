use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    x: fn(u8) -> u8,
    /// What else.
    y: Vec<for<'a> fn(&'a str)>,
) { let _ = (x, y); }

fn main() {}
