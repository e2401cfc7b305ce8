//! Where a page of `tools/list` begins: behind a name, so that a list that changed goes on where it was.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// What a cursor begins with.
const VERSION: &str = "v1:";

/// The cursor behind a name.
pub(crate) fn behind(name: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{VERSION}{name}"))
}

/// The name behind which a page begins; `None` for what is no cursor.
pub(crate) fn read(cursor: &str) -> Option<String> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    text.strip_prefix(VERSION).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back_and_nothing_else_is_one() {
        assert_eq!(read(&behind("read_file")).as_deref(), Some("read_file"));
        for wrong in ["", "not base64!", "djI6YQ", "gICA", "djE6YQ=="] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
