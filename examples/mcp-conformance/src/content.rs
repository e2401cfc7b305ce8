//! Results of every kind, and a schema that is given as it is.

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{Behavior, Content, DynTool, RegistryError, ResourceBody};

/// One red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// A sound of no length.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

fn image() -> Content {
    Content::Image { data: PNG.to_owned(), mime_type: "image/png".to_owned() }
}

fn resource(uri: &str, mime: &str, text: &str) -> Content {
    let body = ResourceBody::Text(text.to_owned());
    Content::Resource { uri: uri.to_owned(), mime_type: Some(mime.to_owned()), body }
}

/// Gives text.
#[tool]
fn test_simple_text() -> ToolOutput {
    ToolOutput::text("This is a simple text response for testing.")
}

/// Gives an image.
#[tool]
fn test_image_content() -> ToolOutput {
    ToolOutput::default().with_content(image())
}

/// Gives a sound.
#[tool]
fn test_audio_content() -> ToolOutput {
    ToolOutput::default()
        .with_content(Content::Audio { data: WAV.to_owned(), mime_type: "audio/wav".to_owned() })
}

/// Gives a resource.
#[tool]
fn test_embedded_resource() -> ToolOutput {
    let text = "This is an embedded resource content.";
    ToolOutput::default().with_content(resource("test://embedded-resource", "text/plain", text))
}

/// Gives several kinds at once.
#[tool]
fn test_multiple_content_types() -> ToolOutput {
    let text = r#"{"test":"data","value":123}"#;
    ToolOutput::text("Multiple content types test:").with_content(image()).with_content(resource(
        "test://mixed-content-resource",
        "application/json",
        text,
    ))
}

/// The tool whose schema is given as it is.
pub(crate) fn schema_tool() -> Result<DynTool, RegistryError> {
    DynTool::builder("json_schema_2020_12_tool")
        .description("Tool with JSON Schema 2020-12 features")
        .behavior(Behavior::READ)
        .input_schema(schema())
        .verbatim()
        .handler_sync(|args, _| Ok(ToolOutput::text(args.to_string())))
        .build()
}

fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}
