//! How a program ends.

use std::process::Termination;

use tool_core::ErrorKind;

/// An exit status: 0, or that of the error's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitCode(pub u8);

impl ExitCode {
    /// All went well.
    pub const SUCCESS: ExitCode = ExitCode(0);
    /// Some call of a batch failed.
    pub const FAILURE: ExitCode = ExitCode(1);
}

impl From<ErrorKind> for ExitCode {
    fn from(kind: ErrorKind) -> Self {
        ExitCode(kind.exit_code())
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        code.0.into()
    }
}

impl Termination for ExitCode {
    fn report(self) -> std::process::ExitCode {
        self.into()
    }
}
