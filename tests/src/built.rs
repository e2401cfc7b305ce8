//! Programs of other packages, built when a test first asks: a test may only name those of its own.

#![allow(clippy::unwrap_used, reason = "it speaks for tests")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// What builds with the features that `cargo test --workspace` builds with, so that nothing is compiled a second time: the
/// features of dependencies are joined over the packages that are named, and over their tests where one is.
pub const AS_TESTED: [&str; 5] = ["build", "--quiet", "--workspace", "--test", "built"];

/// The program of a package of the same name, beside the tests. Where nothing can be built it is the one that is there.
///
/// # Panics
/// When it does not build, or is not there.
pub fn program(name: &str) -> PathBuf {
    static BUILT: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if !built.iter().any(|there| there == name) {
        if tool_trials::why_not_build().is_none() {
            let build = Command::new(env!("CARGO")).args(AS_TESTED).args(["--bin", name]).status().unwrap();
            assert!(build.success(), "{name} does not build");
        }
        built.push(name.to_owned());
    }
    let own = std::env::current_exe().unwrap();
    let program = own.parent().and_then(Path::parent).unwrap().join(name);
    assert!(program.is_file(), "{} is not there", program.display());
    program
}
