//! The process sandbox on this machine, with real programs as attackers, as root and as `nobody`. Each refusal has its twin.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stdout)]

mod attack;
mod confinement;
mod ends;
mod fallbacks;
mod led;
mod left_behind;
mod limits;
mod limits_hold;
mod protected;
mod replaced;
mod results;
mod submodules;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/unprivileged.rs"]
mod unprivileged;

/// Tests that make so many processes that nobody else of their user could start one where only `RLIMIT_NPROC` limits commands.
const CROWDS: [&str; 2] = ["bombs_end_with", "memory_and_processes_move"];

/// The same for a user without privileges; the crowds when the others have gone.
#[test]
fn everything_holds_for_an_unprivileged_user_too() {
    let others: Vec<&str> = CROWDS.iter().flat_map(|name| ["--skip", name]).collect();
    unprivileged::again(&[&["--skip", "an_administrator"], others.as_slice()].concat());
    unprivileged::again(&CROWDS);
}
