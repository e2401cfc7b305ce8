//! Programs to compare with. Where one is missing, a test says so, and fails when peers are required.

use std::process::Command;

/// Says that a test did not run.
///
/// # Panics
/// When `TOOL_REQUIRE_PEERS=1`.
pub(crate) fn skip(reason: &str) {
    println!("skipped: {reason}");
    assert!(std::env::var_os("TOOL_REQUIRE_PEERS").is_none_or(|value| value != "1"), "required: {reason}");
}

/// Whether a program can be run.
pub(crate) fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
