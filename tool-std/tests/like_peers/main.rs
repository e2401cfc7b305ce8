//! What the tools find, against the programs that people use, on random trees.

#![cfg(test)]

mod listing;
mod search;
mod trees;

/// Whether a program is here; says that a test is skipped when it is not.
fn has(program: &str) -> bool {
    let is_here = std::process::Command::new(program).arg("--version").output().is_ok();
    if !is_here {
        tool_trials::skip(&format!("{program} is not installed"));
    }
    is_here
}
