//! `tools schema`: what a surface gets of several tools.

use serde_json::Value;
use tool_core::prelude::*;

use super::{Program, WARNINGS, call};
use crate::schema::Target;

/// Prints schemas of tools, as `--schema` does of one.
#[tool(group = "tools", register = false)]
pub(crate) fn tools_schema(
    /// Names or aliases; all tools without any.
    #[arg(positional, value_name = "NAME")]
    names: Vec<String>,
    /// Whose form of a schema.
    #[arg(
        choices = [
            "input", "output", "canonical", "anthropic", "openai", "openai-responses", "gemini", "mcp", "mcp-2025-11-25"
        ],
        default = "input".to_owned()
    )]
    target: String,
    #[ctx] program: &Program,
) -> ToolResult {
    let registry = &program.registry;
    let target = Target::ALL.iter().find(|row| row.1 == target).map_or(Target::Input, |row| row.0);
    let unknown = |name: &String| call::unknown_tool(&program.name, registry, name);
    let known = |name: &String| registry.get(name).ok_or_else(|| unknown(name));
    let named: Vec<_> = names.iter().map(known).collect::<Result<_, _>>()?;
    let entries: Vec<_> = if names.is_empty() { registry.iter().collect() } else { named };
    let (shown, lost) = target.of_all(&entries)?;
    let mut output = ToolOutput::structured(shown);
    if !lost.is_empty() {
        let told: Vec<String> = lost.iter().map(ToString::to_string).collect();
        output.meta.insert(WARNINGS.to_owned(), Value::from(told));
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_targets_are_those_of_the_option() {
        let schema = ToolsSchemaTool::DEF.input_schema().unwrap();
        let words: Vec<&str> = Target::ALL.iter().map(|row| row.1).collect();
        assert_eq!(schema.schema()["properties"]["target"]["enum"], serde_json::json!(words));
    }
}
