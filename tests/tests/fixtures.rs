//! Programs that reach tool-core in unusual ways are built and run: a renamed dependency, no prelude, a module with its own
//! `Option` and `std`, the strictest lints. Each checks its own results. One that has only a facade is `tests/facade`.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

use std::process::Output;

use tests::fixture::Fixture;

/// The fixtures that must run.
const PROGRAMS: [&str; 4] = ["renamed", "no_prelude", "own_names", "strict"];

#[test]
fn unusual_programs_build_and_run_all_their_tools() {
    if !tool_trials::can_build() {
        return;
    }
    for program in PROGRAMS {
        let output = cargo(&["run", "--quiet", "--package", program]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program}: {text}");
        assert!(!text.contains(&format!("--> {program}/")), "{program} warns: {text}");
    }
}

#[test]
fn clippy_finds_nothing_in_what_the_macros_write() {
    if !tool_trials::can_build() {
        return;
    }
    let output = cargo(&["clippy", "--quiet", "--package", "strict"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_crate_without_tool_core_is_told_what_to_add() {
    if !tool_trials::can_build() {
        return;
    }
    let output = cargo(&["check", "--quiet", "--package", "stranger"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(text.contains(
        "error: cannot find tool-core among the dependencies in Cargo.toml; add it, or set `#[tool(crate = ::path)]`"
    ), "{text}");
}

fn cargo(args: &[&str]) -> Output {
    Fixture("").cargo(args).unwrap()
}
