//! `tools show`: everything about one tool.

use serde_json::{Value, json};
use tool_core::prelude::*;

use super::{Program, call, tools_list};
use crate::schema;
use crate::tree::Tree;

/// Shows everything about one tool.
#[tool(group = "tools", register = false)]
pub(crate) fn tools_show(
    /// Name or alias.
    #[arg(positional)]
    name: &str,
    #[ctx] program: &Program,
) -> Result<Value, ToolError> {
    let entry = program
        .registry
        .get(name)
        .ok_or_else(|| call::unknown_tool(&program.name, &program.registry, name))?;
    let def = entry.def();
    let mut shown = tools_list::full(entry, &Tree::new(&program.registry));
    let example = |args: &str| serde_json::from_str::<Value>(args).unwrap_or_default();
    let examples: Vec<Value> =
        def.examples.iter().map(|own| json!({"label": own.label, "args": example(own.args)})).collect();
    let more = [
        ("description", json!(def.description())),
        ("input_schema", schema::canonical(def)?),
        ("output_schema", schema::output(def)),
        ("examples", json!(examples)),
    ];
    if let Some(object) = shown.as_object_mut() {
        object.extend(more.map(|(name, value)| (name.to_owned(), value)));
    }
    Ok(shown)
}
