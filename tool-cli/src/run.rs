//! The process: the only file that touches its environment, directory and streams.

use std::io::{IsTerminal as _, stderr, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tokio_util::sync::CancellationToken;
use tool_core::ToolError;

use crate::cli::Cli;
use crate::io::{Io, Tty};

/// The whole `main` of a program: its linked tools as commands.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     tool_cli::run()
/// }
/// ```
pub fn run() -> ExitCode {
    let called = std::env::args_os().next().map(PathBuf::from);
    let name = called.as_deref().and_then(Path::file_stem).and_then(|name| name.to_str()).unwrap_or("tool");
    main(Ok(Cli::discover().name(name)))
}

/// The `main` of a program that is more than its linked tools.
///
/// An error, for instance of building the registry, is reported like that of a call.
pub fn main(cli: Result<Cli, ToolError>) -> ExitCode {
    let code = match cli {
        Ok(cli) => cli.run_from(std::env::args_os().skip(1), process_io()),
        Err(error) => Cli::discover().fail(error, process_io()),
    };
    code.into()
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
