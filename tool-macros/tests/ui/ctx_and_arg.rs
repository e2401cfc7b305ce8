use tool_core::prelude::*;

struct Db;

/// Does it.
#[tool]
fn t(#[ctx] #[arg(name = "a")] db: &Db) -> String { String::new() }

fn main() {}
