//! `process_stop`: ends a background process (shell.md §6).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{ToolError, tool};

use super::processes::{ProcessState, Processes};
use crate::sandbox::State;

/// How a process is ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopSignal {
    /// It is asked to, and made to a moment later.
    #[default]
    Term,
    /// At once.
    Kill,
}

/// How a process stands after it was stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StoppedProcess {
    /// Its name.
    pub process_id: String,
    /// How it stands.
    pub state: ProcessState,
    /// 0 to 255; null when a signal ended it.
    pub exit_code: Option<i32>,
    /// Name of the signal that ended it.
    pub signal: Option<String>,
    /// It had ended before.
    pub already_ended: bool,
}

/// Ends a background process and everything that it started.
///
/// One that has ended is a success.
#[tool(group = "shell", side_effect, idempotent)]
#[example("Ask it to end", { "process_id": "p1" } => { "process_id": "p1", "state": "stopped" })]
#[example("One that does not listen", { "process_id": "p1", "signal": "kill" })]
pub async fn process_stop(
    /// The process, as `background` or `process_list` names it.
    #[arg(positional)]
    process_id: &str,
    /// `term` asks it to end and ends it a moment later; `kill` ends it at once.
    #[arg(default)]
    signal: StopSignal,
    #[ctx] processes: Option<&Processes>,
) -> Result<StoppedProcess, ToolError> {
    let process = Processes::find(processes, process_id)?;
    let already_ended = process.running.state() != State::Running;
    if !already_ended {
        process.running.stop(signal == StopSignal::Kill).await?;
    }
    let (state, exit_code, signal) = process.end();
    Ok(StoppedProcess { process_id: process.id.clone(), state, exit_code, signal, already_ended })
}
