use tool_core::prelude::*;

struct A;

impl A {
    /// Does it.
    #[tool]
    fn t(&self) {}
}

fn main() {}
