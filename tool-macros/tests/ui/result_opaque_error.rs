use tool_core::prelude::*;

struct Opaque;

/// Does it.
#[tool]
fn t() -> Result<String, Opaque> { Err(Opaque) }

fn main() {}
