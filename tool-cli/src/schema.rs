//! `--schema`: what a surface gets of a tool, printed instead of a call.

use serde_json::{Map, Value, json};
use tool_core::{ToolDef, ToolError};

/// The canonical input schema of a tool, which the table of its options is read from.
///
/// # Errors
/// Those of building it.
pub(crate) fn canonical(def: &ToolDef<'_>) -> Result<Value, ToolError> {
    Ok(def.input_schema()?.decoded().clone())
}

/// What a command that tells of all tools knows of one: where its schema cannot be built, its parameters by name alone.
///
/// One tool that is broken keeps no other out of lists, pages and scripts; its own command and `tools show` report it.
pub(crate) fn told(def: &ToolDef<'_>) -> Value {
    canonical(def).unwrap_or_else(|_| {
        let properties: Map<String, Value> =
            def.params.iter().map(|param| (param.name.to_owned(), json!({}))).collect();
        json!({"type": "object", "properties": properties})
    })
}

/// Whose form of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The input schema.
    Input,
    /// The output schema, null where there is none.
    Output,
}

impl Target {
    /// Every target with its word.
    pub const ALL: [(Target, &'static str); 2] = [(Target::Input, "input"), (Target::Output, "output")];

    /// The schema of a tool.
    ///
    /// # Errors
    /// Those of building the schema.
    pub fn schema(self, def: &ToolDef<'_>) -> Result<Value, ToolError> {
        match self {
            Target::Input => Ok(def.input_schema()?.schema().clone()),
            Target::Output => Ok(def.output_schema().map_or(Value::Null, |schema| Value::clone(schema))),
        }
    }
}
