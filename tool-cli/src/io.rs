//! Everything a run of the program touches, as one value: streams, terminal, environment, directory, cancellation.
//!
//! [`crate::Cli::run_from`] reaches nothing else, so that runs can stand side by side in one process.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use tokio_util::sync::CancellationToken;

use crate::settings::Settings;

/// Which of the standard streams are terminals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tty {
    /// Standard input.
    pub stdin: bool,
    /// Standard output.
    pub stdout: bool,
    /// Standard error.
    pub stderr: bool,
}

/// The controlling terminal, where a person can be asked although the standard streams are redirected.
pub trait Terminal: Send {
    /// Shows a question and reads one line; `None` at the end of input.
    fn ask(&mut self, question: &str) -> io::Result<Option<String>>;
    /// The same without showing what is typed.
    fn ask_hidden(&mut self, question: &str) -> io::Result<Option<String>>;
}

/// Hears of the settings of a run.
pub type Settled = Box<dyn FnOnce(&Settings) + Send>;

/// What a run reads from and writes to.
pub struct Io {
    /// Standard input; read only when a call asks for it.
    pub stdin: Box<dyn Read + Send>,
    /// Results, and nothing else.
    pub stdout: Box<dyn Write + Send>,
    /// Errors, warnings, notes.
    pub stderr: Box<dyn Write + Send>,
    /// Which of them are terminals.
    pub tty: Tty,
    /// The controlling terminal, if there is one.
    pub terminal: Option<Box<dyn Terminal>>,
    /// Columns of the terminal.
    pub width: Option<u16>,
    /// The environment.
    pub env: BTreeMap<OsString, OsString>,
    /// The working directory, absolute; empty where it was deleted.
    pub cwd: PathBuf,
    /// The program's own file, where the standard streams are those of its process: an MCP client starts it, and a server takes
    /// them over.
    pub program: Option<PathBuf>,
    /// Fires when the person presses Ctrl-C.
    pub cancel: CancellationToken,
    /// Hears of the settings as soon as they are read, once: a process starts its log then.
    pub settled: Option<Settled>,
}

impl Io {
    /// Empty input, discarded output, no terminal and no environment, in a directory.
    pub fn detached(cwd: impl Into<PathBuf>) -> Io {
        Io {
            stdin: Box::new(io::empty()),
            stdout: Box::new(io::sink()),
            stderr: Box::new(io::sink()),
            tty: Tty::default(),
            terminal: None,
            width: None,
            env: BTreeMap::new(),
            cwd: cwd.into(),
            program: None,
            cancel: CancellationToken::new(),
            settled: None,
        }
    }

    /// A variable; an empty one is not set.
    pub(crate) fn var(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.env.get(name.as_ref()).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }
}

impl fmt::Debug for Io {
    /// Without the environment, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Io").field("tty", &self.tty).field("cwd", &self.cwd).finish_non_exhaustive()
    }
}
