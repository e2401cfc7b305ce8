use tool_core::prelude::*;

/// Does it.
#[tool]
macro_rules! t {
    () => { fn t() {} };
}

/// Does it.
#[tool]
extern crate std as other;

fn main() {}
