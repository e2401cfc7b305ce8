//! Bytes in a result: shown by size, decoded where they are wanted. Whoever asks which block holds bytes asks [`part`].

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tool_core::{Content, ResourceBody, ToolOutput};

/// The media type of bytes that come without one (RFC 2046 §4.5.1).
const UNKNOWN: &str = "application/octet-stream";

/// The bytes that a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part<'b> {
    /// Media type.
    pub(crate) mime_type: &'b str,
    data: &'b str,
}

/// The bytes of a block; `None` for a block of text, or one that only points at something.
pub(crate) fn part(block: &Content) -> Option<Part<'_>> {
    match block {
        Content::Image { data, mime_type } | Content::Audio { data, mime_type } => {
            Some(Part { mime_type, data })
        }
        Content::Resource { body: ResourceBody::Blob(data), mime_type, .. } => {
            Some(Part { mime_type: mime_type.as_deref().unwrap_or(UNKNOWN), data })
        }
        Content::Resource { body: ResourceBody::Text(_), .. }
        | Content::Text { .. }
        | Content::Json { .. }
        | Content::ResourceLink { .. } => None,
    }
}

impl Part<'_> {
    /// The bytes; `None` where the tool gave no base64.
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        STANDARD.decode(self.data).ok()
    }

    /// What stands for it in a text.
    pub(crate) fn placeholder(&self) -> String {
        match self.bytes() {
            Some(bytes) => {
                format!("[{}, {} bytes; write it with --out FILE]", self.mime_type, bytes.len())
            }
            None => format!("[{}, not valid base64]", self.mime_type),
        }
    }
}

/// The bytes of a result that is one binary block and nothing else.
pub(crate) fn only(output: &ToolOutput) -> Option<Vec<u8>> {
    match (&output.structured, output.content.as_slice()) {
        (None, [block]) => part(block)?.bytes(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(body: ResourceBody, mime_type: Option<&str>) -> Content {
        Content::Resource { uri: "memo://1".to_owned(), mime_type: mime_type.map(str::to_owned), body }
    }

    #[test]
    fn images_sounds_and_resources_hold_bytes_and_texts_do_not() {
        let data = STANDARD.encode(b"%PDF");
        let image = Content::Image { data: data.clone(), mime_type: "image/png".to_owned() };
        let blob = resource(ResourceBody::Blob(data.clone()), Some("application/pdf"));
        for (block, mime_type) in [(&image, "image/png"), (&blob, "application/pdf")] {
            let found = part(block).unwrap();
            assert_eq!((found.mime_type, found.bytes().unwrap()), (mime_type, b"%PDF".to_vec()));
            let alone = ToolOutput::default().with_content(block.clone());
            assert_eq!(only(&alone), Some(b"%PDF".to_vec()));
            assert_eq!(only(&alone.with_content(Content::text("and more"))), None);
        }
        assert_eq!(part(&resource(ResourceBody::Blob(data), None)).unwrap().mime_type, UNKNOWN);
        assert_eq!(part(&resource(ResourceBody::Text("words".to_owned()), Some("text/plain"))), None);
        assert_eq!(part(&Content::text("words")), None);
    }

    #[test]
    fn what_is_no_base64_is_told_as_such() {
        let image = Content::Image { data: "?".to_owned(), mime_type: "image/png".to_owned() };
        assert_eq!(part(&image).unwrap().placeholder(), "[image/png, not valid base64]");
        assert_eq!(only(&ToolOutput::default().with_content(image)), None);
    }
}
