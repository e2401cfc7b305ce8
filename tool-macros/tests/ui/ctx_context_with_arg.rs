use tool_core::prelude::*;

/// Does it.
#[tool]
fn t(#[arg(name = "a")] cx: &ToolContext) -> String { String::new() }

/// Has a key that no context has.
#[tool]
fn u(#[ctx(secret = "API_KEY")] cx: &ToolContext) -> String { String::new() }

fn main() {}
