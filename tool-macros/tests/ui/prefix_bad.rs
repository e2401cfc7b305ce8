use tool_core::prelude::*;

struct Shelf;

#[toolbox(prefix = "my shelf.")]
impl Shelf {
    /// Counts.
    #[tool]
    fn count(&self) {}

    /// Adds.
    #[tool]
    fn add(&self) {}
}

fn main() {}
