//! Processes that outlive what started them, known by the workspace in their environment.
#![allow(dead_code, clippy::unwrap_used, reason = "not every test asks both")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long what was killed may take to be gone on a busy machine; what was not lives for a minute.
const DYING: Duration = Duration::from_secs(10);

/// Whether a process that knows this workspace is alive when what was killed is gone.
pub(crate) fn are_left(root: &Path) -> bool {
    let until = Instant::now() + DYING;
    while is_alive(root) {
        if Instant::now() > until {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

/// Whether a process that knows this workspace is alive.
pub(crate) fn is_alive(root: &Path) -> bool {
    let name = root.to_str().unwrap().as_bytes();
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let mut environments = processes.filter_map(|process| fs::read(process.path().join("environ")).ok());
    environments.any(|environment| environment.windows(name.len()).any(|part| part == name))
}
