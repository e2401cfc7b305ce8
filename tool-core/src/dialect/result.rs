//! A result as blocks that an API takes: what it cannot show is told in words, and text has its limit.

use serde_json::Value;

use super::limits::{self, Limits};
use crate::output::{Content, ResourceBody, ToolResult, envelope};

/// What is said where there is nothing to say.
pub(super) const NO_OUTPUT: &str = "(no output)";

/// How to get the rest, where the tool does not say.
const ASK_FOR_LESS: &str = "Ask for less: narrow the request or page it.";

/// The blocks of a result for an API that takes the media that `shows` says; all others are text.
pub(super) fn blocks(
    tool: &str,
    result: &ToolResult,
    shows: fn(&Content) -> bool,
    limits: &Limits,
) -> Vec<Content> {
    let (blocks, hint) = match result {
        Err(_) => (vec![Content::text(envelope(tool, result).to_string())], None),
        Ok(output) => match (output.content.as_slice(), &output.structured) {
            ([], Some(value)) => (vec![Content::text(value.to_string())], None),
            ([], None) => (vec![Content::text(NO_OUTPUT)], None),
            (blocks, _) => (blocks.to_vec(), output.truncated.as_deref()),
        },
    };
    let most = limits.get(limits::IMAGE_BYTES);
    let shown = blocks.into_iter().map(|block| match shows(&block) {
        true if is_image(&block) && size(&block) > most => told(&block, "larger than this API takes"),
        true => block,
        false => in_words(block),
    });
    limited(shown.collect(), limits.get(limits::RESULT_BYTES), hint.unwrap_or(ASK_FOR_LESS))
}

/// All text of a result, for an API whose results are text; media that it shows elsewhere are given by `placed`.
pub(super) fn joined(blocks: &[Content], placed: impl Fn(&Content) -> Option<Content>) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        Content::Text { text } => Some(text.clone()),
        media => match placed(media) {
            Some(Content::Text { text }) => Some(text),
            _ => None,
        },
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// A block told instead of shown.
pub(super) fn told(block: &Content, why: &str) -> Content {
    let (kind, mime) = match block {
        Content::Image { mime_type, .. } => ("image", mime_type.as_str()),
        Content::Audio { mime_type, .. } => ("audio", mime_type.as_str()),
        Content::Resource { mime_type, .. } => ("resource", mime_type.as_deref().unwrap_or("unknown")),
        Content::ResourceLink { mime_type, .. } => ("link", mime_type.as_deref().unwrap_or("unknown")),
        Content::Text { .. } => ("text", "text/plain"),
        Content::Json { .. } => ("json", "application/json"),
    };
    Content::text(format!("[{kind} {mime}, {} bytes: {why}]", size(block)))
}

fn in_words(block: Content) -> Content {
    match block {
        Content::Json { value } => Content::text(value.to_string()),
        Content::ResourceLink { uri, name, .. } => Content::text(format!("[link: {name} {uri}]")),
        Content::Resource { uri, body: ResourceBody::Text(text), .. } => {
            Content::text(format!("{uri}:\n{text}"))
        }
        text @ Content::Text { .. } => text,
        media => told(&media, "cannot be shown in this API"),
    }
}

fn is_image(block: &Content) -> bool {
    matches!(block, Content::Image { .. })
}

/// How many bytes are in a block.
fn size(block: &Content) -> usize {
    match block {
        Content::Text { text } | Content::Resource { body: ResourceBody::Text(text), .. } => text.len(),
        Content::Image { data, .. }
        | Content::Audio { data, .. }
        | Content::Resource { body: ResourceBody::Blob(data), .. } => {
            let padding = data.bytes().rev().take_while(|byte| *byte == b'=').count();
            (data.len() / 4 * 3).saturating_sub(padding)
        }
        Content::Json { value } => value.to_string().len(),
        Content::ResourceLink { .. } => 0,
    }
}

/// Cuts the block that crosses the limit, and drops later text; media stay.
fn limited(blocks: Vec<Content>, most: usize, hint: &str) -> Vec<Content> {
    let total: usize = blocks.iter().map(|block| text_of(block).map_or(0, str::len)).sum();
    if total <= most {
        return blocks;
    }
    let mut shown = 0;
    let mut cut = false;
    let cut_one = |block: Content| {
        let Some(text) = text_of(&block) else { return Some(block) };
        if cut {
            return None;
        }
        if shown + text.len() <= most {
            shown += text.len();
            return Some(block);
        }
        cut = true;
        let kept = text.get(..text.floor_char_boundary(most - shown)).unwrap_or("");
        shown += kept.len();
        Some(Content::text(format!("{kept}\n[truncated: showing {shown} of {total} bytes. {hint}]")))
    };
    blocks.into_iter().filter_map(cut_one).collect()
}

fn text_of(block: &Content) -> Option<&str> {
    match block {
        Content::Text { text } => Some(text),
        _ => None,
    }
}

/// The bytes of a media block as the URL that carries them.
pub(super) fn data_url(mime: &str, data: &str) -> String {
    format!("data:{mime};base64,{data}")
}

/// The error of a failure as its object, for APIs that have a place for it.
pub(super) fn error_object(result: &ToolResult) -> Option<Value> {
    result.as_ref().err().map(crate::error::ToolError::to_json)
}
