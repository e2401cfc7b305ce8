//! Programs that reach tool-core in unusual ways are built and run: a renamed dependency, a facade alone, no prelude, a
//! module with its own `Option` and `std`, the strictest lints. Each checks its own results.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The fixtures that must run.
const PROGRAMS: [&str; 5] = ["renamed", "facade", "no_prelude", "own_names", "strict"];

#[test]
fn unusual_programs_build_and_run_all_their_tools() {
    for program in PROGRAMS {
        let output = cargo(&["run", "--quiet", "--package", program]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program}: {text}");
        assert!(!text.contains(&format!("--> {program}/")), "{program} warns: {text}");
    }
}

#[test]
fn clippy_finds_nothing_in_what_the_macros_write() {
    let output = cargo(&["clippy", "--quiet", "--package", "strict"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_crate_without_tool_core_is_told_what_to_add() {
    let output = cargo(&["check", "--quiet", "--package", "stranger"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(text.contains(
        "error: cannot find tool-core among the dependencies in Cargo.toml; add it, or set `#[tool(crate = ::path)]`"
    ), "{text}");
}

#[test]
fn a_crate_that_is_no_longer_mentioned_is_missed_at_start_by_name() {
    let mentioned = cargo(&["run", "--quiet", "--package", "linked", "--features", "mention"]);
    assert!(mentioned.status.success(), "{}", String::from_utf8_lossy(&mentioned.stderr));
    assert_eq!(String::from_utf8_lossy(&mentioned.stdout), "own linked\nplug_read plug\nplug_write plug\n");

    let deleted = cargo(&["run", "--quiet", "--package", "linked"]);
    assert!(!deleted.status.success());
    let lines: Vec<String> = ["plug_read", "plug_write"]
        .map(|tool| {
            format!(
                "missing: set `linked::EXPECTED` expects `{tool}`, but it is not linked; mention its crate with \
                 `use plug as _;`, or add the set with `add_set`\n"
            )
        })
        .into();
    assert_eq!(String::from_utf8_lossy(&deleted.stderr), lines.concat());
}

fn cargo(args: &[&str]) -> Output {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| tests.join("../target"), PathBuf::from);
    Command::new(env!("CARGO"))
        .args(args)
        .current_dir(tests.join("fixtures"))
        .env("CARGO_TARGET_DIR", target.join("fixtures"))
        .output()
        .unwrap()
}
