//! One run of a kit's command line: its words and standard input, what it wrote, and its status.

use std::ffi::OsString;
use std::future::IntoFuture;
use std::io;
use std::thread;

use serde_json::Value;
use tokio::sync::oneshot;
use tool_core::BoxFuture;
use tool_core::test::ToolKit;

use super::captured::Captured;
use crate::cli::Cli;
use crate::io::Io;

/// Runs the tools of a kit as a command line program.
///
/// The program has the kit's executor, capabilities, secrets and answers, and nothing of the process: its environment is the
/// kit's, its directory `/`, and there is no terminal.
///
/// ```
/// use serde_json::json;
/// use tool_cli::test::CliExt as _;
/// use tool_core::prelude::*;
/// use tool_core::test::ToolKit;
/// use tool_core::Registry;
///
/// /// Doubles a number.
/// #[tool(register = false)]
/// fn double(
///     /// The number.
///     #[arg(positional)]
///     n: u32,
/// ) -> u32 {
///     n * 2
/// }
///
/// let kit = ToolKit::of(Registry::builder().add::<DoubleTool>().build()?).build();
/// kit.cli(["double", "4", "--json"]).assert().code(0).json(json!(8));
/// kit.cli(["double", "four"]).assert().code(2).stderr_has("expected integer");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait CliExt {
    /// A command line, without the program's name. Call [`assert`](CliRun::assert) or [`run`](CliRun::run), or await it.
    fn cli<W: Into<OsString>>(&self, words: impl IntoIterator<Item = W>) -> CliRun;

    /// The program.
    fn program(&self) -> Cli;
}

impl CliExt for ToolKit {
    fn cli<W: Into<OsString>>(&self, words: impl IntoIterator<Item = W>) -> CliRun {
        CliRun {
            cli: self.program(),
            words: words.into_iter().map(Into::into).collect(),
            io: Io { env: self.env().vars().clone(), ..Io::detached("/") },
        }
    }

    fn program(&self) -> Cli {
        let ctx = self.context().clone();
        Cli::new(self.registry().clone())
            .name("tool")
            .executor(self.executor_builder())
            .context(move |_| Ok(ctx.to_builder()))
    }
}

/// A command line that is about to run.
#[derive(Debug)]
#[must_use]
pub struct CliRun {
    cli: Cli,
    words: Vec<OsString>,
    io: Io,
}

impl CliRun {
    /// What standard input holds; nothing by default.
    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.io.stdin = Box::new(io::Cursor::new(text.into()));
        self
    }

    /// Changes what the run touches: its directory, its terminal.
    pub fn io(mut self, change: impl FnOnce(&mut Io)) -> Self {
        change(&mut self.io);
        self
    }

    /// Runs it.
    pub fn run(self) -> CliOutput {
        let (stdout, stderr) = (Captured::default(), Captured::default());
        let io = Io { stdout: Box::new(stdout.clone()), stderr: Box::new(stderr.clone()), ..self.io };
        let shown = self.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let code = self.cli.run_from(self.words, io);
        CliOutput { words: shown, code: code.0, stdout: stdout.bytes(), stderr: stderr.text() }
    }

    /// Runs it, to assert what came of it.
    pub fn assert(self) -> CliAssert {
        self.run().assert()
    }
}

impl IntoFuture for CliRun {
    type Output = CliOutput;
    type IntoFuture = BoxFuture<'static, CliOutput>;

    /// Runs it on a thread of its own, as a process would.
    #[expect(clippy::panic, reason = "a run that panicked fails its test")]
    fn into_future(self) -> Self::IntoFuture {
        let (send, output) = oneshot::channel();
        thread::spawn(move || {
            let _ = send.send(self.run());
        });
        Box::pin(async move { output.await.unwrap_or_else(|_| panic!("the command line panicked")) })
    }
}

/// What a run wrote, and how it ended.
#[derive(Clone, Debug)]
pub struct CliOutput {
    words: Vec<String>,
    code: u8,
    stdout: Vec<u8>,
    stderr: String,
}

impl CliOutput {
    /// The exit status.
    pub fn code(&self) -> u8 {
        self.code
    }

    /// Standard output as text.
    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard output as it is.
    pub fn stdout_bytes(&self) -> &[u8] {
        &self.stdout
    }

    /// Standard error.
    pub fn stderr(&self) -> &str {
        &self.stderr
    }

    /// The one JSON document that was written: to standard output, else the last line of standard error, where warnings may
    /// stand in front of it.
    pub fn document(&self) -> Option<Value> {
        let stdout = self.stdout();
        match stdout.trim().is_empty() {
            false => serde_json::from_str(&stdout).ok(),
            true => serde_json::from_str(&self.stderr)
                .ok()
                .or_else(|| serde_json::from_str(self.stderr.trim_end().lines().last()?).ok()),
        }
    }

    /// To assert what came of it.
    pub fn assert(self) -> CliAssert {
        CliAssert(self)
    }

    /// The whole run, for messages.
    fn shown(&self) -> String {
        format!(
            "tool {}\n  status {}\n  stdout: {}\n  stderr: {}",
            self.words.join(" "),
            self.code,
            self.stdout(),
            self.stderr
        )
    }
}

/// Assertions about a run; each failure shows all of it.
#[derive(Clone, Debug)]
pub struct CliAssert(CliOutput);

impl CliAssert {
    /// It ended with this status.
    ///
    /// # Panics
    /// Where it did not.
    #[track_caller]
    pub fn code(self, expected: u8) -> Self {
        assert_eq!(self.0.code, expected, "the status of {}", self.0.shown());
        self
    }

    /// It wrote this document, see [`CliOutput::document`].
    ///
    /// # Panics
    /// Where it did not.
    #[track_caller]
    pub fn json(self, expected: Value) -> Self {
        assert_eq!(self.0.document(), Some(expected), "the document of {}", self.0.shown());
        self
    }

    /// It wrote this to standard output, and nothing else.
    ///
    /// # Panics
    /// Where it did not.
    #[track_caller]
    pub fn stdout(self, expected: &str) -> Self {
        assert_eq!(self.0.stdout(), expected, "the output of {}", self.0.shown());
        self
    }

    /// This is in what it wrote to standard error.
    ///
    /// # Panics
    /// Where it is not.
    #[track_caller]
    pub fn stderr_has(self, part: &str) -> Self {
        assert!(self.0.stderr.contains(part), "{part:?} is not in what was told by {}", self.0.shown());
        self
    }

    /// The run, to look at what else there is.
    pub fn output(&self) -> &CliOutput {
        &self.0
    }
}
