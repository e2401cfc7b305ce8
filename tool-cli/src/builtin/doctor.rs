//! `doctor`: whether the program can do its work here, and what to do where it cannot.

use serde_json::Value;
use tool_core::contract::Level;
use tool_core::prelude::*;
use tool_core::{Content, ErrorKind};

use super::{EXIT, Program};
use crate::doctor::Status;
use crate::lints;

/// Checks settings, secrets, capabilities and tools.
///
/// Each check is `ok`, `warn` or `fail`, with what to do about it. What `tools check` finds in the tools is told as well. The
/// exit code is 6 when a check fails, else 1 when a tool has an error.
#[tool(register = false)]
pub(crate) fn doctor(
    /// List every limit with its value.
    limits: bool,
    /// Tell as well what the tools lose on the way to a dialect.
    #[arg(choices = [
        "anthropic", "openai-chat", "openai-responses", "gemini", "mcp-2025-11-25", "mcp-2026-07-28", "all"
    ])]
    dialect: Option<String>,
    #[ctx] program: &Program,
) -> ToolResult {
    let Some(report) = &program.report else {
        return Err(ToolError::internal("Nothing was inspected."));
    };
    let lints = lints::findings(program, dialect.as_deref());
    let mut output = match program.brief {
        true => ToolOutput::structured(report.rows(&lints, limits))
            .with_content(Content::text(report.page(&lints, limits))),
        false => ToolOutput::structured(report.to_json(&lints)),
    };
    let kind = match report.status() {
        Status::Fail => Some(ErrorKind::NotConfigured),
        _ if lints.iter().any(|finding| finding.level == Level::Error) => Some(ErrorKind::Failed),
        _ => None,
    };
    if let Some(kind) = kind {
        output.meta.insert(EXIT.to_owned(), Value::from(kind.exit_code()));
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dialects_are_those_of_the_option() {
        let schema = DoctorTool::DEF.input_schema().unwrap();
        assert_eq!(schema.schema()["properties"]["dialect"]["enum"], serde_json::json!(lints::dialects()));
    }
}
