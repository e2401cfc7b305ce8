use tool_core::prelude::*;

struct A<T>(T);

#[toolbox]
impl<T> A<T> {
    /// Does it.
    #[tool]
    fn t(&self) {}
}

fn main() {}
