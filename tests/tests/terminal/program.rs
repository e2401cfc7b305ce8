//! The programs that are started, and the peers that a test may lack.

use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Longest time that anything here takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) const DEMO: &str = env!("CARGO_BIN_EXE_demo");
pub(crate) const PATIENT: &str = env!("CARGO_BIN_EXE_patience");

/// The standard tools, built when a test first asks.
pub(crate) fn toolbox() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| tests::built::program("toolbox").display().to_string())
}

/// A program without a home: nothing of the person's is read, and nothing is kept of its calls.
pub(crate) fn homeless(command: &mut Command) -> &mut Command {
    command.env_remove("HOME").env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME")
}

/// Whether a program is there; a test that needs it is skipped where it is not.
pub(crate) fn has(peer: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("command -v {peer}")]).output().unwrap();
    if !found.status.success() {
        tool_trials::skip(&format!("{peer} is missing"));
    }
    found.status.success()
}

/// Waits for a condition.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "{what} did not come");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}
