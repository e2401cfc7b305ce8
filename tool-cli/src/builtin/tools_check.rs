//! `tools check`: what is wrong, or not good, about the tools of the program. (registry.md §11)

use serde_json::Value;
use tool_core::contract::{Finding, Level};
use tool_core::prelude::*;
use tool_core::{Content, ErrorKind};

use super::{EXIT, Program};
use crate::lints;

/// Checks what the tools say of themselves.
///
/// Each finding is an error or a warning; the tag `allow:ID` of a tool silences a warning there. Exit code 1: an error, or
/// with `--strict` a warning.
#[tool(group = "tools", aliases = ["check"], register = false)]
pub(crate) fn tools_check(
    /// Count warnings as errors.
    strict: bool,
    /// Tell as well what is lost on the way to a dialect.
    #[arg(choices = [
        "anthropic", "openai-chat", "openai-responses", "gemini", "mcp-2025-11-25", "mcp-2026-07-28", "all"
    ])]
    dialect: Option<String>,
    #[ctx] program: &Program,
) -> ToolResult {
    let findings = lints::findings(program, dialect.as_deref());
    let mut output = report(&findings, program.registry.len());
    if findings.iter().any(|finding| strict || finding.level == Level::Error) {
        output.meta.insert(EXIT.to_owned(), Value::from(ErrorKind::Failed.exit_code()));
    }
    Ok(output)
}

/// One line per finding.
fn report(findings: &[Finding], tools: usize) -> ToolOutput {
    let text = match findings {
        [] => format!("nothing found in {tools} tools\n"),
        findings => findings.iter().map(|finding| format!("{finding}\n")).collect(),
    };
    let findings: Vec<Value> = findings.iter().map(Finding::to_json).collect();
    ToolOutput::structured(Value::Array(findings)).with_content(Content::text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dialects_are_those_of_the_option() {
        let schema = ToolsCheckTool::DEF.input_schema().unwrap();
        assert_eq!(schema.schema()["properties"]["dialect"]["enum"], serde_json::json!(lints::dialects()));
    }
}
