//! `call`: a tool by its name, or many from JSON Lines ([`crate::batch`]).
//!
//! The definition serves reading and help; the program itself answers, since only it has the streams.

use serde_json::Value;
use tool_core::def::Surface;
use tool_core::prelude::*;
use tool_core::{Coerce, Executor, Registry, ToolEntry, registry};

use crate::gather::Gathered;

/// Reads of a batch that run at once.
pub(crate) const JOBS_MAX: u32 = 64;

/// Calls a tool by its name or alias, or many from JSON Lines.
///
/// With `--jsonl` each line is one call, `{"id"?, "tool", "args"?}`, and is answered by one line in the same order.
#[tool(register = false, exactly_one(name, jsonl))]
pub(crate) fn call(
    /// Name or alias; the options of the tool follow.
    #[arg(positional)]
    name: Option<String>,
    /// File with one call a line, `-` for standard input.
    #[arg(value_name = "FILE", hint = "file")]
    jsonl: Option<String>,
    /// How many reads may run at once.
    #[arg(range = 1..=JOBS_MAX, default = 1, requires = ["jsonl"])]
    jobs: u32,
) -> Result<Value, ToolError> {
    Ok(serde_json::json!({"name": name, "jsonl": jsonl, "jobs": jobs}))
}

/// What `call --jsonl` asks for.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The file, or `-`.
    pub(crate) jsonl: String,
    /// How many reads may run at once.
    pub(crate) jobs: usize,
}

/// Decodes the options of `call` as those of any tool.
pub(crate) fn asked(entry: &ToolEntry, gathered: &Gathered) -> Result<Asked, ToolError> {
    let executor = Executor::standard(super::registry()?).coerce(Coerce::Text).build()?;
    let call = tool_core::Call {
        issues: gathered.faults.iter().map(|fault| fault.issue.clone()).collect(),
        ..tool_core::Call::new(entry.name(), gathered.args.clone())
    };
    let output = executor.call_blocking(call, &ToolContext::empty(), tool_core::Caller::Cli)?;
    let value = output.data();
    let jsonl = value.get("jsonl").and_then(Value::as_str).unwrap_or("-").to_owned();
    let jobs =
        value.get("jobs").and_then(Value::as_u64).and_then(|jobs| usize::try_from(jobs).ok()).unwrap_or(1);
    Ok(Asked { jsonl, jobs: jobs.max(1) })
}

/// The error for a name that no tool of the command line has.
pub(crate) fn unknown_tool(program: &str, registry: &Registry, name: &str) -> ToolError {
    let offered =
        registry.iter().filter(|entry| entry.def().surfaces.contains(Surface::Cli) && !entry.def().hidden);
    let error = registry::unknown_tool(&[name], offered.flat_map(ToolEntry::spellings));
    if error.hint_str().is_some() {
        return error;
    }
    error.hint(format!("`{program} tools list` lists those that there are"))
}
