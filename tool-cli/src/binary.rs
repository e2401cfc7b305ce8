//! Images and sounds: shown by size, decoded where bytes are wanted.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tool_core::{Content, ToolOutput};

/// What stands for a binary block in a text.
pub(crate) fn placeholder(data: &str, mime_type: &str) -> String {
    format!("[{mime_type}, {} bytes; write it with --out FILE]", decode(data).len())
}

/// The bytes of a result that is one binary block and nothing else.
pub(crate) fn only(output: &ToolOutput) -> Option<Vec<u8>> {
    match (&output.structured, output.content.as_slice()) {
        (None, [Content::Image { data, .. } | Content::Audio { data, .. }]) => Some(decode(data)),
        _ => None,
    }
}

fn decode(data: &str) -> Vec<u8> {
    STANDARD.decode(data).unwrap_or_default()
}
