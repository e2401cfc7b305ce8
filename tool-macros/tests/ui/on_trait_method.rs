use tool_core::prelude::*;

trait A {
    /// Does it.
    #[tool]
    fn t();
}

fn main() {}
