use tool_core::prelude::*;

struct Db;

/// Does it.
#[tool]
fn t(#[ctx] db: &mut Db) -> String { String::new() }

fn main() {}
