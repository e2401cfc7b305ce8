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
use tool_trials::vectors;

fn cases(file: &str) -> Vec<Value> {
    vectors::cases(file).map(|found| found.0).unwrap_or_default()
}

/// Says how many cases ran, and fails for those that failed.
fn report(name: &str, outcomes: Vec<(String, Result<(), String>)>) {
    if outcomes.is_empty() {
        return;
    }
    let failed: Vec<String> = outcomes
        .iter()
        .filter_map(|(id, outcome)| outcome.as_ref().err().map(|why| format!("{id}: {why}")))
        .collect();
    println!("{name}: {} cases from {}", outcomes.len(), vectors::folder().display());
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

fn each(cases: Vec<Value>, run: impl Fn(&Value) -> Result<(), String>) -> Vec<(String, Result<(), String>)> {
    cases.iter().map(|case| (case["id"].as_str().unwrap().to_owned(), run(case))).collect()
}

/// The same for a user without privileges.
#[test]
fn everything_holds_for_an_unprivileged_user_too() {
    unprivileged::again(&["--nocapture"]);
}
