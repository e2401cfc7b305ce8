//! The process: the only file that touches its environment, directory, streams, signals, log and panics.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, IsTerminal as _, Write, stderr, stdin, stdout};
use std::os::fd::AsFd as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tool_core::{ErrorKind, ToolError};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

use crate::cli::Cli;
use crate::hooks::Subscribe;
use crate::interrupt::{self, Interrupt, Interruptible, Trigger};
use crate::io::{Io, Terminal, Tty};
use crate::settings::Settings;
use crate::terminal::Controlling;
use crate::{route, signals};

/// The whole `main` of a program: its linked tools as commands.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     tool_cli::run()
/// }
/// ```
pub fn run() -> ExitCode {
    main(Ok(Cli::discover().name(called())))
}

/// What the program was called as.
fn called() -> String {
    let called = std::env::args_os().next().map(PathBuf::from);
    let name = called.as_deref().and_then(Path::file_stem).and_then(|name| name.to_str());
    name.unwrap_or("tool").to_owned()
}

/// The `main` of a program that is more than its linked tools.
///
/// An error, for instance of building the registry, is reported like that of a call.
pub fn main(cli: Result<Cli, ToolError>) -> ExitCode {
    main_from(cli, std::env::args_os().skip(1))
}

/// [`main`] with a command line of its own: for a program that has other programs under words of its own.
pub fn main_from(cli: Result<Cli, ToolError>, argv: impl Iterator<Item = OsString>) -> ExitCode {
    // What a panic says may hold a secret: a call that panics tells of it without those. Here is only told where it was.
    std::panic::set_hook(Box::new(|panic| {
        let at = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::debug!(target: "toolbox::panic", at, "a panic");
    }));
    let argv: Vec<OsString> = argv.collect();
    // The version is all that many a start is for: it takes two streams, and waits for nothing else.
    let subscribe = cli.as_ref().ok().and_then(|cli| cli.subscriber.clone());
    let prepare = || if route::wants_version(&argv) { Ok(streams()) } else { process_io(subscribe) };
    let run = || match prepare() {
        Ok(io) => match cli {
            Ok(cli) => {
                let code = cli.run_from(&argv, io);
                cli.close();
                code
            }
            Err(error) => Cli::discover().name(called()).fail(&argv, error, io),
        },
        Err(error) => {
            complain(&unready(&error));
            ErrorKind::Internal.into()
        }
    };
    let code = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        complain("error[internal]: The program stopped unexpectedly.");
        ErrorKind::Internal.into()
    });
    code.into()
}

/// Where to print, and nothing else of the process.
fn streams() -> Io {
    Io { stdout: Box::new(stdout()), stderr: Box::new(stderr()), ..Io::detached("/") }
}

/// The streams, environment and directory of the process. Once the settings are read, signals cancel instead of ending it:
/// what needs no settings prints a page and is over.
fn process_io(subscribe: Option<Arc<Subscribe>>) -> io::Result<Io> {
    let cancel = CancellationToken::new();
    let (trigger, interrupt) = interrupt::pair()?;
    let token = cancel.clone();
    let tty =
        Tty { stdin: stdin().is_terminal(), stdout: stdout().is_terminal(), stderr: stderr().is_terminal() };
    let input = std::fs::File::from(stdin().as_fd().try_clone_to_owned()?);
    Ok(Io {
        stdin: Box::new(Interruptible { reader: input, interrupt: interrupt.clone() }),
        stdout: Box::new(stdout()),
        stderr: Box::new(stderr()),
        tty,
        terminal: controlling_terminal(interrupt),
        width: terminal_size::terminal_size().map(|(width, _)| width.0),
        env: std::env::vars_os().collect(),
        // One that was deleted is none: no other directory stands in for it.
        cwd: std::env::current_dir().unwrap_or_default(),
        program: std::env::current_exe().ok(),
        cancel,
        settled: Some(Box::new(move |settings| {
            start_log(settings, subscribe.as_deref());
            if let Err(error) = on_signals(token, trigger, settings.quiet) {
                complain(&unready(&error));
                std::process::exit(i32::from(ErrorKind::Internal.exit_code()));
            }
        })),
    })
}

fn unready(error: &io::Error) -> String {
    format!("error[internal]: The program could not be set up: {error}.")
}

/// The first signal cancels and ends all waiting for input; the second one ends the process.
fn on_signals(cancel: CancellationToken, trigger: Trigger, quiet: bool) -> io::Result<()> {
    let first = move || {
        cancel.cancel();
        drop(trigger);
        if !quiet {
            complain(signals::NOTE);
        }
    };
    let last = || std::process::exit(i32::from(ErrorKind::Cancelled.exit_code()));
    signals::watch(first, last)
}

/// The controlling terminal, if the process has one.
fn controlling_terminal(interrupt: Interrupt) -> Option<Box<dyn Terminal>> {
    let device = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
    Some(Box::new(Controlling { device, interrupt }))
}

/// Sends the log to standard error. What other crates log by `log` is not in it.
fn start_log(settings: &Settings, subscribe: Option<&Subscribe>) {
    let Ok(targets) = settings.log.parse::<Targets>() else { return };
    // Somebody who has set one before us wants another log than this.
    let _ = match subscribe.and_then(|subscribe| subscribe(settings)) {
        None => {
            let subscriber = tracing_subscriber::registry().with(targets).with(lines());
            tracing::subscriber::set_global_default(subscriber)
        }
        Some(own) => {
            let subscriber = tracing_subscriber::registry().with(own).with(lines().with_filter(targets));
            tracing::subscriber::set_global_default(subscriber)
        }
    };
}

/// The log's lines on standard error.
fn lines<S: tracing::Subscriber + for<'span> LookupSpan<'span>>() -> impl Layer<S> {
    tracing_subscriber::fmt::layer().with_writer(Line::default).with_ansi(false).without_time()
}

/// A line on standard error, over what progress may have drawn there: in one piece, for progress goes on.
fn complain(line: &str) {
    let _ = Line::default().write_all(format!("{line}\n").as_bytes());
}

/// One line of the log. On a terminal it begins where the line does, and clears what stands there.
#[derive(Default)]
struct Line {
    begun: bool,
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut stderr = stderr().lock();
        if !std::mem::replace(&mut self.begun, true) && stderr.is_terminal() {
            stderr.write_all(b"\r\x1b[K")?;
        }
        stderr.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        stderr().flush()
    }
}
