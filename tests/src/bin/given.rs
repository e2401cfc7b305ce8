//! A program with the tools that `GIVEN` describes as JSON, in the form of the vectors.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a program for tests may fail the test")]

#[path = "../given.rs"]
mod given;

use std::process::ExitCode;

use serde_json::Value;
use tool_cli::Cli;
use tool_core::Registry;

fn main() -> ExitCode {
    let tools: Vec<Value> = serde_json::from_str(&std::env::var("GIVEN").unwrap()).unwrap();
    let builder = tools.iter().fold(Registry::builder(), |builder, tool| match tool["dynamic"] == true {
        true => builder.add_dyn(given::dynamic(tool)),
        false => builder.add_def(given::definition(tool)),
    });
    tool_cli::main(builder.build().map(|registry| Cli::new(registry).name("given")).map_err(Into::into))
}
