use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(
    /// From where.
    #[arg(default)] a: std::net::IpAddr,
    /// How many.
    #[arg(default)] b: u8,
) -> String { format!("{a}{b}") }

fn main() {}
