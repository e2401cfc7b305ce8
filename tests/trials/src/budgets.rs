//! The numbers that the rules for this project's tests name, each once. A test holds the scripts to them
//! (`tests/tests/budgets.rs`).

use std::time::Duration;

/// Cases of a property in a usual run, and in the full one.
pub const CASES: [u32; 2] = [256, 10_000];

/// How long a test waits for a condition, on a machine that limits of time are meant for.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// How long a call may go on that is told to end, likewise.
pub const ENDING: Duration = Duration::from_millis(500);

/// Seconds for which each fuzz target runs.
pub const FUZZ_SECONDS: u32 = 60;

/// The share of lines that tests run at least, in percent.
pub const COVERED: u32 = 90;

/// Faults that are planted at least.
pub const FAULTS: usize = 30;

/// The share of changed lines that tests notice at least, in percent, of each part that `tests/mutants.md` counts.
pub const NOTICED: usize = 95;

/// The parts in which all changes are tried at night.
pub const SHARDS: u32 = 8;

/// Kits that are used at once.
pub const KITS: usize = 64;

/// Cases of a property in this run.
pub fn cases() -> u32 {
    let [usual, full] = CASES;
    crate::by_effort(full, usual)
}

/// How long a test waits for a condition on this machine.
pub fn patience() -> Duration {
    PATIENCE * crate::load_factor()
}
