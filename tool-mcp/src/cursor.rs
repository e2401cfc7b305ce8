//! Where a page of `tools/list` begins: behind a name, so that a list that changed goes on where it was.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

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

/// A message whose cursor is no text, with one that is no cursor in its place: rmcp takes the former for none, and would begin the
/// list again. `None` for every other message.
pub(crate) fn told(message: &[u8]) -> Option<Vec<u8>> {
    const MEMBER: &[u8] = b"\"cursor\"";
    if !message.windows(MEMBER.len()).any(|part| part == MEMBER) {
        return None;
    }
    let mut message: Value = serde_json::from_slice(message).ok()?;
    let cursor = message.get_mut("params")?.get_mut("cursor")?;
    if cursor.is_string() || cursor.is_null() {
        return None;
    }
    *cursor = "".into();
    Some(message.to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_that_is_no_text_becomes_one_that_is_no_cursor() {
        let list =
            |cursor: &str| format!(r#"{{"id":1,"method":"tools/list","params":{{"cursor":{cursor}}}}}"#);
        for wrong in ["5", "true", "[]", "{}"] {
            let told = told(list(wrong).as_bytes()).unwrap();
            assert_eq!(String::from_utf8(told).unwrap(), list("\"\""), "{wrong}");
        }
        for right in ["null", r#""djE6YQ""#, "\"\""] {
            assert_eq!(told(list(right).as_bytes()), None, "{right}");
        }
        for other in ["", "5", r#"{"params":{}}"#, r#"{"params":["cursor"]}"#, r#"{"cursor":5}"#] {
            assert_eq!(told(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn a_cursor_is_read_back_and_nothing_else_is_one() {
        assert_eq!(read(&behind("read_file")).as_deref(), Some("read_file"));
        for wrong in ["", "not base64!", "djI6YQ", "gICA", "djE6YQ=="] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
