//! The process sandbox on this machine, with real programs as attackers, as root and as `nobody`. Each refusal has its twin.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stdout)]

mod attack;
mod confinement;
mod ends;
mod fallbacks;
mod limits;
mod limits_hold;
#[path = "../log/mod.rs"]
mod log;
mod protected;
mod results;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/unprivileged.rs"]
mod unprivileged;

/// The same for a user without privileges.
#[test]
fn everything_holds_for_an_unprivileged_user_too() {
    unprivileged::again(&["--skip", "an_administrator"]);
}
