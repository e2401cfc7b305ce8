//! `tools why`: whether an agent sees a tool, and if not, every reason with what to do.

use serde_json::{Value, json};
use tool_core::def::Surface;
use tool_core::prelude::*;
use tool_core::{Content, ErrorKind, Hidden, Reason, Snapshot, ToolEntry, explain};

use super::{EXIT, Program, call};
use crate::sight::OPERATOR;

/// Tells whether an agent sees a tool, and why not.
///
/// Exit code 0: visible, 5: hidden, 6: only a secret is missing, 3: there is no such tool.
#[tool(group = "tools", register = false)]
pub(crate) fn tools_why(
    /// Name or alias.
    #[arg(positional)]
    name: &str,
    /// The agent: operator is the person at the command line.
    #[arg(default = OPERATOR.to_owned())]
    agent: String,
    /// Where the agent calls from.
    #[arg(choices = ["llm", "cli", "mcp"])]
    surface: Option<String>,
    #[ctx] program: &Program,
) -> ToolResult {
    let snapshot = snapshot(program, &agent, surface.as_deref())?;
    let found = program.registry.get(name).or_else(|| snapshot.agent_tools().get(name));
    let tool = found.ok_or_else(|| call::unknown_tool(&program.name, &program.registry, name))?;
    let reasons = explain(tool, &snapshot);
    let shown: Vec<Value> = reasons.iter().map(told).collect();
    let surface = snapshot.surface().map_or("", Surface::as_str);
    let value = json!({
        "tool": tool.name(), "agent": agent, "surface": surface, "visible": reasons.is_empty(), "reasons": shown,
    });
    let mut output = ToolOutput::structured(value).with_content(Content::text(text(&reasons)));
    let status = match reasons.first().map(|first| first.reason) {
        None => return Ok(output),
        Some(Reason::SecretMissing) => ErrorKind::NotConfigured,
        Some(_) => ErrorKind::Denied,
    };
    output.meta.insert(EXIT.to_owned(), Value::from(status.exit_code()));
    Ok(output)
}

/// What an agent sees; where nothing is said, from the surface that it usually calls from.
pub(super) fn snapshot(program: &Program, agent: &str, surface: Option<&str>) -> Result<Snapshot, ToolError> {
    let sight = program.sight.as_ref().ok_or_else(|| ToolError::internal("Nothing was looked at."))?;
    let usual = match agent {
        OPERATOR => Surface::Cli,
        "mcp" => Surface::Mcp,
        _ => Surface::Llm,
    };
    let named = surface.and_then(|word| Surface::ALL.iter().find(|row| row.1 == word)).map(|row| row.0);
    sight.snapshot(agent, named.unwrap_or(usual), &program.registry)
}

fn told(hidden: &Hidden) -> Value {
    let mut told = hidden.detail.clone();
    told.insert("reason".to_owned(), Value::from(hidden.reason.as_str()));
    told.insert("advice".to_owned(), Value::from(hidden.reason.advice()));
    Value::Object(told)
}

/// `visible`, or one line for each reason.
fn text(reasons: &[Hidden]) -> String {
    if reasons.is_empty() {
        return "visible\n".to_owned();
    }
    reasons.iter().map(|hidden| format!("{}\n", line(hidden))).collect()
}

/// A reason with its detail and what to do.
pub(super) fn line(hidden: &Hidden) -> String {
    let detail: Vec<String> = hidden
        .detail
        .iter()
        .map(|(key, value)| match value {
            Value::String(text) => format!("{key} {text}"),
            Value::Array(items) => {
                let items: Vec<String> = items
                    .iter()
                    .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
                    .collect();
                format!("{key} {}", items.join(", "))
            }
            other => format!("{key} {other}"),
        })
        .collect();
    let detail = if detail.is_empty() { String::new() } else { format!(" ({})", detail.join("; ")) };
    format!("{}{detail}: {}", hidden.reason, hidden.reason.advice())
}

/// One tool in one line, for `tools list --why`.
pub(super) fn brief(tool: &ToolEntry, snapshot: &Snapshot) -> String {
    match explain(tool, snapshot).first() {
        None => "visible".to_owned(),
        Some(first) => line(first),
    }
}
