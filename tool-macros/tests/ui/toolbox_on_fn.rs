use tool_core::prelude::*;

#[toolbox]
fn t() {}

fn main() {}
