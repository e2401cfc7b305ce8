use tool_core::prelude::*;

/// Does it.
#[tool]
fn slice(
    /// What.
    x: &[&str],
) -> String { x.join("") }

/// Does it.
#[tool]
fn cow(
    /// What.
    x: Option<std::borrow::Cow<'_, [&str]>>,
) -> String { x.unwrap_or_default().join("") }

/// Once is fine, and what lives for ever needs no owner.
#[tool]
fn once(
    /// What.
    x: Option<&[String]>,
    /// More.
    y: Option<std::borrow::Cow<'_, str>>,
) -> String { format!("{x:?}{y:?}") }

fn main() {}
