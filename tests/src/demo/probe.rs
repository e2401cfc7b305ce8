//! Results and errors of every form, as they are asked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{Content, ErrorKind};

/// The results of `probe_result` by name.
#[derive(Clone, Debug)]
pub(super) struct Results(pub(super) Value);

impl Results {
    /// The result of a name.
    fn result(&self, name: &str) -> ToolResult {
        let entry = self.0.get(name).ok_or_else(|| ToolError::not_found("There is no such result."))?;
        let content: Vec<Content> = match entry.get("content") {
            Some(blocks) => serde_json::from_value(blocks.clone()).unwrap_or_default(),
            None => Vec::new(),
        };
        Ok(ToolOutput {
            content,
            structured: entry.get("structured").cloned().map(Into::into),
            ..ToolOutput::default()
        })
    }
}

/// ProbeFailKind.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ProbeFailKind {
    InvalidArgs,
    NotFound,
    Conflict,
    Denied,
    NotConfigured,
    Unavailable,
    RateLimited,
    Timeout,
    Cancelled,
    Failed,
    Internal,
}

/// Fails with the error asked for.
#[tool(group = "probe", register = false)]
pub(super) fn probe_fail(
    /// Kind of the error.
    #[arg(positional)]
    kind: ProbeFailKind,
) -> ToolResult {
    fail(kind)
}

/// Returns a result of the shape asked for.
#[tool(group = "probe", register = false)]
pub(super) fn probe_result(
    /// Name of the result in `results`.
    #[arg(positional)]
    shape: &str,
    #[ctx] results: &Results,
) -> ToolResult {
    results.result(shape)
}

/// Fails with a kind.
fn fail(kind: ProbeFailKind) -> ToolResult {
    let name = json!(kind).as_str().unwrap_or_default().to_owned();
    let kind = ErrorKind::all().find(|kind| kind.as_str() == name).unwrap_or(ErrorKind::Internal);
    Err(ToolError::new(kind, format!("asked to fail with {name}")))
}
