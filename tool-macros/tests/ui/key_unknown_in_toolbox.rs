use tool_core::prelude::*;

struct Files;

#[toolbox(grup = "file")]
impl Files {
    /// Does it.
    #[tool]
    fn read(&self) {}
}

fn main() {}
