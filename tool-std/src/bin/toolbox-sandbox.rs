//! The helper as a program of its own, for programs that cannot call `init` first (`sandbox.helper`), and for tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    tool_std::sandbox::init();
    ExitCode::from(2)
}
