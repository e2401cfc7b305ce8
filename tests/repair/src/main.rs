//! Prints the figures of this project, by kind, and each call that one repair did not reach: `cargo run -p repair`.

#![allow(clippy::print_stdout, reason = "it is what it is for")]

use repair::figures::{by_kind, table, told};
use repair::{Figures, Ours, corpus};
use tool_core::ToolError;

fn main() -> Result<(), ToolError> {
    let cases = corpus();
    let figures = Figures::of(&mut Ours::new()?, &cases);
    print!("{}", told(&figures));
    let all = [figures];
    println!("{}\n{}", by_kind(&all, &cases), table(&all));
    Ok(())
}
