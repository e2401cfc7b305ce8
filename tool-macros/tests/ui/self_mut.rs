use tool_core::prelude::*;

struct A;

#[toolbox]
impl A {
    /// Does it.
    #[tool]
    fn t(&mut self) {}
}

fn main() {}
