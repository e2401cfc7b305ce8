//! The vectors of the file and shell groups through the real program: from its command line, and as an MCP server.
//!
//! The tests of the tools run the same cases through the executor; what is judged, and how, is theirs.

#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stdout)]

mod files;
#[path = "../../../tool-std/tests/shell_vectors/judge.rs"]
mod judge;
#[path = "../../../tool-std/tests/shell_vectors/listeners.rs"]
mod listeners;
#[path = "../../../tool-std/tests/shell_vectors/places.rs"]
mod places;
mod program;
#[path = "../../../tool-std/tests/scene/mod.rs"]
#[allow(dead_code, reason = "the tests of the tools use all of it")]
mod scene;
#[path = "../../../tool-std/tests/shell_vectors/setting.rs"]
mod setting;
mod shell;
#[path = "../../../tool-std/tests/support/survivors.rs"]
mod survivors;

use std::collections::BTreeMap;

use program::Surface;
use serde_json::Value;

/// The cases of a file; none, and a line that says so, where there are no vectors.
fn cases(file: &str) -> Vec<Value> {
    tool_trials::vectors::cases(file).map(|found| found.0).unwrap_or_default()
}

/// What a case came to: the differences, or why it does not run.
type Verdict = Result<Vec<String>, String>;

/// Runs cases through a surface, says how many ran, and fails for those that differ.
fn run(name: &str, surface: Surface, cases: &[Value], check: impl Fn(Surface, &Value) -> Verdict) {
    let (mut wrong, mut ran, mut skipped) = (Vec::new(), 0, BTreeMap::<String, usize>::new());
    for case in cases {
        match check(surface, case) {
            Ok(differences) => {
                ran += 1;
                wrong.extend(differences.iter().map(|text| format!("{}: {text}", case["id"])));
            }
            Err(need) => *skipped.entry(need).or_default() += 1,
        }
    }
    println!("{name} through {surface:?}: {ran} of {} cases ran, {} differ", cases.len(), wrong.len());
    skipped.iter().for_each(|(need, count)| println!("skipped: {count} need {need}"));
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(ran > 0 || cases.is_empty(), "nothing ran");
}
