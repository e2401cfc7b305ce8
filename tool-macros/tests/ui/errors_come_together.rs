use tool_core::prelude::*;

/// Does it.
#[tool(grup = "a", timeout = "soon")]
fn t(x: u32, #[arg(range = 5..=1)] y: u32) -> String { String::new() }

fn user() {
    let _ = t(1, 2);
    let _ = TTool::NAME;
}

fn main() {}
