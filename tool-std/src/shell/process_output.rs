//! `process_output`: output and state of a background process (shell.md §6).

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use tool_core::{ToolError, tool};

use super::processes::{ProcessState, Processes};
use crate::sandbox::{Ended, Page, Sandbox, Stream};

/// A part of one stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StreamPage {
    /// The text.
    #[schemars(extend("x-log" = "hash"))]
    pub text: String,
    /// The offset to go on with.
    pub next_offset: u64,
    /// Bytes before the first one given that are kept no more.
    pub dropped_bytes: u64,
}

/// What went wrong with a background process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProcessError {
    /// The kind, such as `denied`.
    pub kind: String,
    /// The code, such as `protected_path`.
    pub code: String,
    /// Protected names that it made or replaced, and that were moved away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quarantined: Vec<String>,
}

/// Output and state of a background process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProcessOutput {
    /// Its name.
    pub process_id: String,
    /// How it stands.
    pub state: ProcessState,
    /// 0 to 255, once it has ended; null when a signal ended it.
    pub exit_code: Option<i32>,
    /// Name of the signal that ended it.
    pub signal: Option<String>,
    /// What went wrong, once it has ended and something did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ProcessError>,
    /// Standard output.
    pub stdout: StreamPage,
    /// Standard error.
    pub stderr: StreamPage,
}

impl From<Page> for StreamPage {
    fn from(page: Page) -> Self {
        Self { text: page.text, next_offset: page.next_offset, dropped_bytes: page.dropped_bytes }
    }
}

impl ProcessError {
    fn of(ended: &Ended) -> Option<Self> {
        let (kind, code) = ended.fault()?;
        let quarantined = ended.quarantined.clone();
        Some(Self { kind: kind.as_str().to_owned(), code: code.to_owned(), quarantined })
    }
}

/// Reads what a background process has written, from an offset on, and how it stands.
///
/// Offsets count bytes from the start. Reading changes nothing; go on with `next_offset`.
#[tool(group = "shell", paged, tags = ["allow:int-53-bits"])]
#[example("What is there", { "process_id": "p1" } => { "process_id": "p1" })]
#[example("What comes next", { "process_id": "p1", "stdout_offset": 8, "wait": 5 })]
pub async fn process_output(
    /// The process, as `background` or `process_list` names it.
    #[arg(positional)]
    process_id: &str,
    /// Where to begin in standard output.
    #[arg(default = 0)]
    stdout_offset: u64,
    /// Where to begin in standard error.
    #[arg(default = 0)]
    stderr_offset: u64,
    /// Seconds to wait for new output or the end.
    #[arg(range = 0.0..=30.0, default = 0.0)]
    wait: f64,
    #[ctx] processes: Option<&Processes>,
    #[ctx] sandbox: &Sandbox,
) -> Result<ProcessOutput, ToolError> {
    let process = Processes::find(processes, process_id)?;
    if wait > 0.0 {
        let news = process.running.wait(stdout_offset, stderr_offset);
        // No news in time is an answer too.
        let _ = tokio::time::timeout(Duration::from_secs_f64(wait), news).await;
    }
    let most = usize::try_from(sandbox.policy().limits.max_stream_bytes).unwrap_or(usize::MAX);
    // The state first: output that comes between would only be read again.
    let (state, exit_code, signal) = process.end();
    Ok(ProcessOutput {
        process_id: process.id.clone(),
        state,
        exit_code,
        signal,
        error: process.running.ended().as_ref().and_then(ProcessError::of),
        stdout: process.running.read(Stream::Out, stdout_offset, most).into(),
        stderr: process.running.read(Stream::Err, stderr_offset, most).into(),
    })
}
