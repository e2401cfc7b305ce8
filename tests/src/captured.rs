//! A run of a command line in process, for programs that are not those of a kit.

use std::path::Path;

use tool_cli::{Cli, Io};

pub use tool_cli::test::Captured;

/// Runs a command line in a directory: its exit status, standard output and standard error.
pub fn run(cli: &Cli, directory: &Path, words: &[&str]) -> (u8, String, String) {
    let (stdout, stderr) = (Captured::default(), Captured::default());
    let io =
        Io { stdout: Box::new(stdout.clone()), stderr: Box::new(stderr.clone()), ..Io::detached(directory) };
    let code = cli.run_from(words.iter().copied(), io);
    (code.0, stdout.text(), stderr.text())
}
