use tool_core::prelude::*;

struct Db;

/// Does it.
#[tool]
fn t(
    /// What.
    db: &Db,
) { let _ = db; }

fn main() {}
