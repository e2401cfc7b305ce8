//! What a run in process wrote to one of its streams.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tool_cli::{Cli, Io};

/// Runs a command line in a directory: its exit status, standard output and standard error.
pub fn run(cli: &Cli, directory: &Path, words: &[&str]) -> (u8, String, String) {
    let (stdout, stderr) = (Captured::default(), Captured::default());
    let io =
        Io { stdout: Box::new(stdout.clone()), stderr: Box::new(stderr.clone()), ..Io::detached(directory) };
    let code = cli.run_from(words.iter().copied(), io);
    (code.0, stdout.text(), stderr.text())
}

/// A stream that keeps what is written to it; its clones share it.
#[derive(Clone, Default)]
pub struct Captured(Arc<Mutex<Vec<u8>>>);

impl Captured {
    /// All that was written so far.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
