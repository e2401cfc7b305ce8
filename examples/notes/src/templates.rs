//! Tools that are only known at run time: one per template.

use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::registry::RegistryError;
use tool_core::{Behavior, DynTool, ToolError, ToolOutput};

use crate::Notebook;

/// Makes a tool that writes a note from a template, `Buy {item}`: each `{name}` is a required text.
///
/// # Errors
/// What a schema-only tool is refused for, such as a name that is none.
pub fn template_tools(name: &str, template: &str) -> Result<DynTool, RegistryError> {
    let words: Vec<&str> = template.split('{').skip(1).filter_map(|part| part.split('}').next()).collect();
    let property = |word: &&str| {
        (word.to_string(), json!({"type": "string", "description": format!("Stands for {{{word}}}.")}))
    };
    let properties: serde_json::Map<String, Value> = words.iter().map(property).collect();
    let template = template.to_owned();
    DynTool::builder(name)
        .group("note")
        .description(format!("Writes the note `{template}`."))
        .behavior(Behavior { side_effect: true, idempotent: false, ..Behavior::READ })
        .input_schema(json!({"type": "object", "properties": properties, "required": words, "additionalProperties": false}))
        .handler_sync(move |args, ctx| {
            let notebook: Arc<Notebook> = ctx.require()?;
            let args = args.as_object().ok_or_else(|| ToolError::internal("The arguments are no object."))?;
            let fill = |text: String, (word, value): (&String, &Value)| {
                text.replace(&format!("{{{word}}}"), value.as_str().unwrap_or_default())
            };
            let note = notebook.add_note(&args.iter().fold(template.clone(), fill), Vec::new());
            Ok(ToolOutput::structured(json!(note)))
        })
        .build()
}
