use tool_core::prelude::*;

struct A;

#[tool]
impl A {}

fn main() {}
