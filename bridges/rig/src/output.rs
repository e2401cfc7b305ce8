//! A result as the content that rig gives to models: text, JSON and images; what rig cannot carry is told in words.

use rig_core::message::{ImageMediaType, MimeType as _, ToolResultContent};
use rig_core::tool::{ToolExecutionError, ToolOutput};
use tool_core::{Content, ResourceBody, ToolOutput as Done};

/// The content of a result: its blocks, else its value.
pub(crate) fn output(done: Done) -> Result<ToolOutput, ToolExecutionError> {
    match (done.content.is_empty(), done.structured) {
        (true, Some(value)) => Ok(ToolOutput::json(value.into_value())),
        (true, None) => Ok(ToolOutput::text("")),
        (false, _) => ToolOutput::content(done.content.into_iter().map(block).collect()),
    }
}

fn block(content: Content) -> ToolResultContent {
    match content {
        Content::Text { text } => ToolResultContent::text(text),
        Content::Json { value } => ToolResultContent::json(value),
        Content::Image { data, mime_type } => match ImageMediaType::from_mime_type(&mime_type) {
            Some(kind) => ToolResultContent::image_base64(data, Some(kind), None),
            None => untold("image", &mime_type),
        },
        Content::Audio { mime_type, .. } => untold("audio", &mime_type),
        Content::Resource { uri, body: ResourceBody::Text(text), .. } => {
            ToolResultContent::text(format!("{uri}:\n{text}"))
        }
        Content::Resource { mime_type, body: ResourceBody::Blob(_), .. } => {
            untold("resource", mime_type.as_deref().unwrap_or("unknown"))
        }
        Content::ResourceLink { uri, name, .. } => ToolResultContent::text(format!("[link: {name} {uri}]")),
    }
}

fn untold(kind: &str, mime_type: &str) -> ToolResultContent {
    ToolResultContent::text(format!("[{kind} {mime_type}: cannot be shown in this API]"))
}
