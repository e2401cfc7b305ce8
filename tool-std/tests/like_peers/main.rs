//! What the tools find, against the programs that people use, on random trees.

#![cfg(test)]

mod listing;
#[path = "../support/rounds.rs"]
mod rounds;
mod search;
mod trees;

/// Whether a program is here; says that a test is skipped when it is not.
fn has(program: &str) -> bool {
    let is_here = std::process::Command::new(program).arg("--version").output().is_ok();
    if !is_here {
        assert_ne!(std::env::var("TOOL_REQUIRE_PEERS").as_deref(), Ok("1"), "{program} is not installed");
        println!("skipped: {program} not installed");
    }
    is_here
}
