//! `tools schema`: what a surface gets of several tools.

use serde_json::{Value, json};
use tool_core::prelude::*;

use super::{Program, call};
use crate::schema::Target;

/// Prints schemas of tools, as `--schema` does of one.
#[tool(group = "tools", register = false)]
pub(crate) fn tools_schema(
    /// Names or aliases; all tools without any.
    #[arg(positional, value_name = "NAME")]
    names: Vec<String>,
    /// Whose form of a schema.
    #[arg(choices = ["input", "output"], default = "input".to_owned())]
    target: String,
    #[ctx] program: &Program,
) -> Result<Value, ToolError> {
    let registry = &program.registry;
    let target = Target::ALL.iter().find(|row| row.1 == target).map_or(Target::Input, |row| row.0);
    let known = |name: &String| registry.get(name).ok_or_else(|| call::unknown_tool(registry, name));
    let named: Vec<_> = names.iter().map(known).collect::<Result<_, _>>()?;
    let entries = if names.is_empty() { registry.iter().collect() } else { named };
    let shown = |entry: &tool_core::ToolEntry| {
        Ok(json!({"name": entry.name(), "schema": target.schema(entry.def())?}))
    };
    entries.into_iter().map(shown).collect()
}
