//! `--schema`: what a surface gets of a tool, printed instead of a call.

use serde_json::{Map, Value, json};
use tool_core::contract::Entry;
use tool_core::dialect::{Dialect as _, DialectId, DialectIssue, PlanOptions, mcp};
use tool_core::{ToolDef, ToolEntry, ToolError};

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
    /// The whole contract of the tool, as it stands in `tools.lock`.
    Canonical,
    /// What an API gets of the tool.
    Dialect(DialectId),
}

impl Target {
    /// Every target with its word.
    pub const ALL: [(Target, &'static str); 9] = [
        (Target::Input, "input"),
        (Target::Output, "output"),
        (Target::Canonical, "canonical"),
        (Target::Dialect(DialectId::Anthropic), "anthropic"),
        (Target::Dialect(DialectId::OpenAiChat), "openai"),
        (Target::Dialect(DialectId::OpenAiResponses), "openai-responses"),
        (Target::Dialect(DialectId::Gemini), "gemini"),
        (Target::Dialect(DialectId::Mcp20260728), "mcp"),
        (Target::Dialect(DialectId::Mcp20251125), "mcp-2025-11-25"),
    ];

    /// What the target gets of one tool, and what it loses.
    ///
    /// # Errors
    /// Those of building the schema, and of planning the tool.
    pub fn of_one(self, entry: &ToolEntry) -> Result<(Value, Vec<DialectIssue>), ToolError> {
        match self {
            Target::Dialect(dialect) => {
                let (tools, lost) = offered(dialect, &[entry])?;
                let one = tools.pointer("/0/functionDeclarations/0").or_else(|| tools.get(0));
                Ok((one.cloned().unwrap_or_default(), lost))
            }
            _ => Ok((self.alone(entry)?, Vec::new())),
        }
    }

    /// What the target gets of several tools, and what it loses.
    ///
    /// # Errors
    /// Those of building the schemas, and of planning the tools for one request.
    pub fn of_all(self, entries: &[&ToolEntry]) -> Result<(Value, Vec<DialectIssue>), ToolError> {
        if let Target::Dialect(dialect) = self {
            return offered(dialect, entries);
        }
        let shown = |entry: &&ToolEntry| {
            let alone = self.alone(entry)?;
            let is_named = self == Target::Canonical;
            Ok(if is_named { alone } else { json!({"name": entry.name(), "schema": alone}) })
        };
        Ok((entries.iter().map(shown).collect::<Result<Value, ToolError>>()?, Vec::new()))
    }

    /// What stands for one tool, whoever gets it.
    fn alone(self, entry: &ToolEntry) -> Result<Value, ToolError> {
        match self {
            Target::Output => Ok(output(entry.def())),
            Target::Canonical => Ok(json!(Entry::of(entry)?)),
            Target::Input | Target::Dialect(_) => Ok(entry.def().input_schema()?.schema().clone()),
        }
    }
}

/// The output schema of a tool, null where there is none.
pub(crate) fn output(def: &ToolDef<'_>) -> Value {
    def.output_schema().map_or(Value::Null, |schema| Value::clone(schema))
}

/// The member `tools` of a request with these tools.
fn offered(dialect: DialectId, entries: &[&ToolEntry]) -> Result<(Value, Vec<DialectIssue>), ToolError> {
    let plan = dialect.plan(entries, &PlanOptions::default())?;
    let mut tools = dialect.tools(&plan);
    if matches!(dialect, DialectId::Mcp20251125 | DialectId::Mcp20260728) {
        let descriptors = tools.as_array_mut().into_iter().flatten();
        for (tool, descriptor) in plan.tools.iter().zip(descriptors) {
            *descriptor = mcp::listed(&tool.entry, descriptor.take());
        }
    }
    Ok((tools, plan.issues().collect()))
}
