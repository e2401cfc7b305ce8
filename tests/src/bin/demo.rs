//! The program `demo` of the command line's transcripts. What `probe result` answers is in the file that the variable
//! `PROBE_RESULTS` names.

use std::process::ExitCode;

use serde_json::Value;
use tests::demo;
use tool_core::ToolError;

fn main() -> ExitCode {
    tool_cli::main(results().and_then(|results| demo::demo(&results)).map(|(cli, _)| cli))
}

fn results() -> Result<Value, ToolError> {
    let Some(path) = std::env::var_os("PROBE_RESULTS") else { return Ok(Value::Null) };
    let unreadable = |error: &dyn std::fmt::Display| ToolError::internal(format!("PROBE_RESULTS: {error}"));
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(&error))?;
    serde_json::from_str(&text).map_err(|error| unreadable(&error))
}
