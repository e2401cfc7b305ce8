//! The standard tools as one program.

use tool_cli::ExitCode;

fn main() -> ExitCode {
    tool_cli::run_with(|cli| {
        cli.version(env!("CARGO_PKG_VERSION")).about("The standard tools as one program.")
    })
}
