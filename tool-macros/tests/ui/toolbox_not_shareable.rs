use tool_core::prelude::*;

struct A(std::cell::Cell<u8>);

#[toolbox]
impl A {
    /// Does it.
    #[tool]
    fn t(&self) {}

    /// Does it too.
    #[tool]
    fn u(&self) {}
}

fn main() {}
