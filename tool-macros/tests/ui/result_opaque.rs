use tool_core::prelude::*;

struct Opaque;

/// Does it.
#[tool]
fn t() -> Opaque { Opaque }

fn main() {}
