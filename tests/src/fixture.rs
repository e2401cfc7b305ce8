//! Programs of `tests/fixtures`, built and run as a user would.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A workspace under `tests/fixtures`.
#[derive(Clone, Copy, Debug)]
pub struct Fixture(pub &'static str);

impl Fixture {
    /// Its folder.
    pub fn folder(self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(self.0)
    }

    /// Where its programs are built: all fixtures share what they depend on.
    pub fn target(self) -> PathBuf {
        let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(own, PathBuf::from).join("fixtures")
    }

    /// Runs cargo in it.
    ///
    /// # Errors
    /// When cargo cannot be started.
    pub fn cargo(self, args: &[&str]) -> io::Result<Output> {
        Command::new(env!("CARGO"))
            .args(args)
            .current_dir(self.folder())
            .env("CARGO_TARGET_DIR", self.target())
            .output()
    }
}
