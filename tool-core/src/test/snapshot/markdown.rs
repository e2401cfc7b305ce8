//! A tool as a page of Markdown, for people who review what it offers.

use std::fmt::Write as _;

use serde_json::Value;

use crate::error::ToolError;
use crate::registry::ToolEntry;

/// The page.
pub(super) fn page(tool: &ToolEntry) -> Result<String, ToolError> {
    let def = tool.def();
    let mut page =
        format!("# {}\n\n{}\n\nEffect: {}\n", tool.name(), def.description(), def.behavior.words());
    let schema = def.input_schema()?.schema();
    let required = |name: &str| {
        let names = schema.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|other| other == name))
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    if let Some(properties) = properties.filter(|properties| !properties.is_empty()) {
        page.push_str("\n| parameter | type | | description |\n| --- | --- | --- | --- |\n");
        for (name, property) in properties {
            let need = match property.get("default") {
                _ if required(name) => "required".to_owned(),
                Some(default) => format!("default `{default}`"),
                None => "optional".to_owned(),
            };
            let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
            let _ =
                writeln!(page, "| `{name}` | {} | {} | {} |", cell(&kind(property)), cell(&need), cell(text));
        }
    }
    for example in def.examples {
        let _ = write!(page, "\n{}:\n\n```json\n{}\n", example.label, example.args);
        if let Some(result) = example.result {
            let _ = writeln!(page, "=> {result}");
        }
        page.push_str("```\n");
    }
    Ok(page)
}

/// The type of a value in words, with its choices and bounds.
fn kind(schema: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut words = match schema.get("type") {
        Some(Value::Array(types)) => types.iter().map(text).collect::<Vec<_>>().join(" or "),
        Some(one) => text(one),
        None => "any".to_owned(),
    };
    for (keyword, name) in BOUNDS {
        if let Some(bound) = schema.get(keyword) {
            let _ = write!(words, ", {name} {bound}");
        }
    }
    if let Some(Value::Array(choices)) = schema.get("enum") {
        let choices: Vec<String> = choices.iter().map(|choice| format!("`{}`", text(choice))).collect();
        let _ = write!(words, ": {}", choices.join(", "));
    }
    words
}

/// Keywords of bounds with their words.
const BOUNDS: [(&str, &str); 9] = [
    ("minimum", "at least"),
    ("exclusiveMinimum", "above"),
    ("maximum", "at most"),
    ("exclusiveMaximum", "below"),
    ("minLength", "length from"),
    ("maxLength", "length to"),
    ("minItems", "items from"),
    ("maxItems", "items to"),
    ("pattern", "like"),
];

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}
