use tool_core::prelude::*;

/// Does it.
#[tool]
fn t() -> String { String::new() }

tool_set! {
    pub static ALL = [TTool, TTool];
}

fn main() {}
