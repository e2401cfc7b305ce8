use tool_core::prelude::*;

struct Db;

/// Does it.
#[tool]
fn t(#[ctx(name = "x")] db: &Db) -> String { String::new() }

fn main() {}
