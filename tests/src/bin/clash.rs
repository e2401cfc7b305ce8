//! A program whose commands clash.

#[path = "../clashing.rs"]
mod clashing;

use std::process::ExitCode;

use tool_cli::Cli;
use tool_core::Registry;

fn main() -> ExitCode {
    let builder = clashing::all().into_iter().fold(Registry::builder(), |builder, def| builder.add_def(def));
    tool_cli::main(builder.build().map(|registry| Cli::new(registry).name("clash")).map_err(Into::into))
}
