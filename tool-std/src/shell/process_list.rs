//! `process_list`: the background processes of the caller (shell.md §6).

use schemars::JsonSchema;
use serde::Serialize;
use tool_core::tool;

use super::processes::{Process, ProcessState, Processes};

/// A background process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedProcess {
    /// Its name for the other tools.
    pub process_id: String,
    /// Its words.
    pub argv: Vec<String>,
    /// Where it was started, relative to the workspace root.
    pub cwd: String,
    /// How it stands.
    pub state: ProcessState,
    /// When it was started: RFC 3339, UTC.
    pub started: String,
    /// Milliseconds from its start to its end, or to now.
    pub duration_ms: u64,
    /// Milliseconds of CPU time, once it has ended.
    pub cpu_ms: Option<u64>,
    /// Bytes of memory of its largest process, once it has ended.
    pub max_rss_bytes: Option<u64>,
}

/// The background processes of the caller, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProcessList {
    /// The processes.
    pub processes: Vec<ListedProcess>,
}

/// Lists the background processes that were started with `background`, oldest first.
#[tool(group = "shell")]
#[example("Before anything was started", {} => { "processes": [] })]
pub fn process_list(#[ctx] processes: Option<&Processes>) -> ProcessList {
    let processes = processes.map(Processes::list).unwrap_or_default();
    ProcessList { processes: processes.iter().map(|process| listed(process)).collect() }
}

fn listed(process: &Process) -> ListedProcess {
    let millis = |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let ended = process.running.ended();
    let duration = ended.as_ref().map_or_else(|| process.running.started().elapsed(), |ended| ended.duration);
    ListedProcess {
        process_id: process.id.clone(),
        argv: process.argv.clone(),
        cwd: process.cwd.clone(),
        state: process.end().0,
        started: process.started.clone(),
        duration_ms: millis(duration),
        cpu_ms: ended.as_ref().map(|ended| millis(ended.cpu)),
        max_rss_bytes: ended.as_ref().map(|ended| ended.max_rss_bytes),
    }
}
