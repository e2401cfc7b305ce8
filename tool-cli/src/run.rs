//! The process: the only file that touches its environment, directory and streams.

use std::io::{IsTerminal as _, stderr, stdin, stdout};
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::cli::Cli;
use crate::exit::ExitCode;
use crate::io::{Io, Tty};

/// The whole `main` of a program: its linked tools as commands.
///
/// ```no_run
/// fn main() -> tool_cli::ExitCode {
///     tool_cli::run()
/// }
/// ```
pub fn run() -> ExitCode {
    run_with(|cli| cli)
}

/// The same for a program that says more about itself than its name.
pub fn run_with(say: impl FnOnce(Cli) -> Cli) -> ExitCode {
    let mut args = std::env::args_os();
    let called = args.next().map(PathBuf::from);
    let name = called.as_deref().and_then(Path::file_stem).and_then(|name| name.to_str()).unwrap_or("tool");
    say(Cli::discover().name(name)).run_from(args, process_io())
}

/// The streams, environment and directory of the process.
fn process_io() -> Io {
    let tty =
        Tty { stdin: stdin().is_terminal(), stdout: stdout().is_terminal(), stderr: stderr().is_terminal() };
    Io {
        stdin: Box::new(stdin()),
        stdout: Box::new(stdout()),
        stderr: Box::new(stderr()),
        tty,
        terminal: None,
        width: terminal_size::terminal_size().map(|(width, _)| width.0),
        env: std::env::vars_os().collect(),
        cwd: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        cancel: CancellationToken::new(),
    }
}
