//! Vectors of the shell group and of its attackers: one line of output per case, one failure for all that failed.
//!
//! Where they lie is for `tool_trials::vectors` to say; without them the tests say that they are skipped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stdout)]

mod calls;
mod guard;
mod judge;
mod listeners;
mod places;
mod pure;
mod setting;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/unprivileged.rs"]
mod unprivileged;

use serde_json::Value;
use tool_trials::vectors::{self, Outcome};

fn cases(file: &str) -> Vec<Value> {
    vectors::cases(file).map(|found| found.0).unwrap_or_default()
}

/// Says how many cases ran, and fails for those that failed.
fn report(set: &str, outcomes: Vec<(String, Outcome)>) {
    if !outcomes.is_empty() {
        vectors::report(set, outcomes);
    }
}

fn each(cases: Vec<Value>, run: impl Fn(&Value) -> Outcome) -> Vec<(String, Outcome)> {
    cases.iter().map(|case| (vectors::id(case), run(case))).collect()
}

/// The same for a user without privileges.
#[test]
fn everything_holds_for_an_unprivileged_user_too() {
    unprivileged::again(&["--nocapture"]);
}
