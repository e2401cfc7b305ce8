use tool_core::prelude::*;

struct Db;

/// Does it.
#[tool]
fn t(#[ctx(optional)] db: &Db) -> String { String::new() }

fn main() {}
