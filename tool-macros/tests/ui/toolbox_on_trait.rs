use tool_core::prelude::*;

struct A;

#[toolbox]
impl Clone for A {
    fn clone(&self) -> A { A }
}

fn main() {}
