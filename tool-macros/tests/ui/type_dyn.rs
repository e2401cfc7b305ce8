use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// What.
    x: &dyn std::fmt::Debug,
    /// What else.
    y: Box<dyn std::fmt::Debug>,
) -> String { format!("{x:?}{y:?}") }

fn main() {}
