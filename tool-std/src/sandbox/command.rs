//! A command to be run in the sandbox.

use std::time::Duration;

use tool_core::Secret;

use super::env::Variables;
use crate::workspace::WorkspacePath;

/// A program with arguments, a directory, a timeout, and what Rust code adds to its environment.
///
/// Its `Debug` form has the names of added variables and not their values, which may be secrets.
#[derive(Clone)]
pub struct Command {
    pub(super) argv: Vec<String>,
    pub(super) directory: Option<WorkspacePath>,
    pub(super) timeout: Duration,
    pub(super) extra: Variables,
}

impl Command {
    /// A program: a name looked up in the sandbox's `PATH`, or a path with a `/`.
    pub fn new(program: impl Into<String>, timeout: Duration) -> Self {
        Self { argv: vec![program.into()], directory: None, timeout, extra: Variables::new() }
    }

    /// Adds arguments, passed as they are.
    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.argv.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets the directory to start in; the workspace root when this is not said.
    #[must_use]
    pub fn directory(mut self, directory: WorkspacePath) -> Self {
        self.directory = Some(directory);
        self
    }

    /// Sets a variable, also one that operators may not set: for Rust code that knows what it does.
    #[must_use]
    pub fn env_trusted(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.extra.insert(name.into(), value.into());
        self
    }

    /// Gives the command a declared secret.
    #[must_use]
    pub fn secret_env(self, name: impl Into<String>, secret: &Secret) -> Self {
        self.env_trusted(name, secret.expose())
    }
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Command")
            .field("argv", &self.argv)
            .field("directory", &self.directory)
            .field("timeout", &self.timeout)
            .field("extra", &self.extra.keys())
            .finish()
    }
}
