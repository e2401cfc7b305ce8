use tool_core::prelude::*;

/// Does it.
#[tool]
fn read_file() -> String { String::new() }

tool_set! {
    pub static ALL = [read_file];
}

fn main() {}
