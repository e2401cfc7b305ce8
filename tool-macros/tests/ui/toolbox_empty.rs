use tool_core::prelude::*;

struct A;

#[toolbox]
impl A {
    fn t(&self) {}
}

fn main() {}
