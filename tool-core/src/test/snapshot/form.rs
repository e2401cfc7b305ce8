//! The forms of a tool that snapshots are taken of: what each caller is shown.

use serde_json::{Value, json};

use super::markdown;
use crate::def::Surface;
use crate::dialect::{Dialect as _, DialectId, PlanOptions};
use crate::error::ToolError;
use crate::registry::{Registry, ToolEntry};

/// One form: a row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The file's name; its ending is `json`, `md` or `txt`.
    pub file: &'static str,
    /// The text, ended by a line feed; none where the tool is not offered there.
    pub render: fn(&Registry, &ToolEntry) -> Result<Option<String>, ToolError>,
}

/// Every form of this crate.
pub const FORMS: &[Form] = &[
    Form { file: "canonical.json", render: canonical },
    Form { file: "markdown.md", render: |_, tool| markdown::page(tool).map(Some) },
    Form { file: "anthropic.json", render: |_, tool| descriptor(DialectId::Anthropic, tool) },
    Form { file: "openai-chat.json", render: |_, tool| descriptor(DialectId::OpenAiChat, tool) },
    Form { file: "openai-responses.json", render: |_, tool| descriptor(DialectId::OpenAiResponses, tool) },
    Form { file: "gemini.json", render: |_, tool| descriptor(DialectId::Gemini, tool) },
    Form { file: "mcp-2025-11-25.json", render: |_, tool| descriptor(DialectId::Mcp20251125, tool) },
    Form { file: "mcp-2026-07-28.json", render: |_, tool| descriptor(DialectId::Mcp20260728, tool) },
];

fn canonical(_: &Registry, tool: &ToolEntry) -> Result<Option<String>, ToolError> {
    let def = tool.def();
    let output = def.output_schema().map_or(Value::Null, |schema| Value::clone(schema));
    let all = json!({
        "name": tool.name(), "title": def.title, "description": def.description(), "behavior": def.behavior,
        "input": def.input_schema()?.schema(), "output": output,
    });
    Ok(Some(pretty(&all)))
}

/// The member `tools` of a request with this tool alone.
fn descriptor(dialect: DialectId, tool: &ToolEntry) -> Result<Option<String>, ToolError> {
    let surface = match dialect {
        DialectId::Mcp20251125 | DialectId::Mcp20260728 => Surface::Mcp,
        _ => Surface::Llm,
    };
    if !tool.def().surfaces.contains(surface) {
        return Ok(None);
    }
    let plan = dialect.plan(&[tool], &PlanOptions::default())?;
    Ok(Some(pretty(&dialect.tools(&plan))))
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
