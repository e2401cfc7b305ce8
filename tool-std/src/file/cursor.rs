//! Where a page of a listing ended: opaque to callers, made from the last path, so that a directory that changed
//! meanwhile neither repeats nor fails a page (files.md §10).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tool_core::{Effect, ToolError};

use crate::workspace::Relative;

/// First byte of a cursor: its form.
const FORM: u8 = 1;

/// The cursor of a page that ended with this path below the start.
pub(crate) fn encode(below_start: &[u8]) -> String {
    let mut bytes = vec![FORM];
    bytes.extend_from_slice(below_start);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The path that a page begins behind.
///
/// # Errors
/// `cursor_invalid`.
pub(crate) fn decode(cursor: &str) -> Result<Relative, ToolError> {
    parse(cursor).ok_or_else(|| {
        ToolError::invalid_args("The cursor is not one that this tool gave.")
            .code("cursor_invalid")
            .hint("use next_cursor of the page before, or none")
            .effect(Effect::None)
    })
}

fn parse(cursor: &str) -> Option<Relative> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let path = bytes.strip_prefix(&[FORM])?;
    let mut components = path.split(|byte| *byte == b'/');
    let is_path = !path.contains(&0) && components.all(|name| !matches!(name, b"" | b"." | b".."));
    is_path.then(|| Relative::from_components(path.split(|byte| *byte == b'/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_leads_back_to_its_path_and_nothing_else_is_one() {
        for path in [&b"a"[..], b"a/b", b"\xff"] {
            assert_eq!(decode(&encode(path)).unwrap().as_bytes(), path);
        }
        for bad in ["!!", "", "AA", &encode(b"../x"), &encode(b""), &encode(b"/a"), &encode(b"a\0")] {
            assert_eq!(decode(bad).unwrap_err().code_str(), "cursor_invalid", "{bad}");
        }
    }
}
