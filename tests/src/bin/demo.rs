//! The program `demo` of the command line's transcripts.

#[path = "../demo.rs"]
mod demo;

use std::process::ExitCode;

fn main() -> ExitCode {
    tool_cli::main(demo::demo(&serde_json::Value::Null).map(|(cli, _)| cli))
}
