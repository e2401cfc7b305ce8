//! The text that a string of JSON with escapes in it means. (RFC 8259 §7)

use memchr::memchr;

/// What stands between the quotes of a string, with its escapes replaced; `None` where it is no string of JSON.
///
/// Most are lines of a file, with `\n` at each end: they are copied from escape to escape. One with a `\u` is left to
/// serde_json.
pub(super) fn unescape(text: &str) -> Option<String> {
    // Without a way out of the loop it is compiled to look at many bytes together.
    if text.bytes().fold(false, |found, byte| found | (byte < b' ')) {
        return None;
    }
    let (mut read, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        read.push_str(rest.get(..at)?);
        let meant = match rest.as_bytes().get(at + 1)? {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            same @ (b'"' | b'\\' | b'/') => char::from(*same),
            b'u' => return serde_json::from_str(&format!("\"{text}\"")).ok(),
            _ => return None,
        };
        read.push(meant);
        rest = rest.get(at + 2..)?;
    }
    read.push_str(rest);
    Some(read)
}

#[cfg(test)]
mod tests {
    use super::super::split::{Member, Members, Piece};
    use super::*;

    #[test]
    fn it_means_what_serde_json_says() {
        let mut compared = 0;
        let parts = [
            "a",
            "é",
            "\u{7f}",
            "\\n",
            "\\t",
            "\\r",
            "\\b",
            "\\f",
            "\\\"",
            "\\\\",
            "\\/",
            "\\u0061",
            "\\ud83d\\ude00",
            "\\ud800",
            "\\u12",
            "\\x",
            "\\",
            "\n",
            "\u{0}",
            "\u{1f}",
            "\t",
            "\\é",
            "\\'",
            "😀",
        ];
        for first in parts {
            for second in parts {
                for third in ["", " b", "\n", "\\n", "\\u00e9", "\\"] {
                    let text = format!("{first}{second}{third}");
                    // Only what stands between quotes comes here.
                    let whole = format!("{{\"a\":\"{text}\"}}");
                    let cut = Members::of(&whole).and_then(|mut members| members.next(Some("a")));
                    let Some(Member::Piece(None, Piece::Escaped(cut))) = cut else { continue };
                    if cut != text {
                        continue;
                    }
                    compared += 1;
                    let expected = serde_json::from_str(&format!("\"{text}\"")).ok();
                    assert_eq!(unescape(&text), expected, "{text:?}");
                }
            }
        }
        assert!(compared > 1000, "{compared}");
    }
}
