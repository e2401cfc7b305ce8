//! Lines of a file or patch as errors quote them: cut, and with control characters made visible.

use crate::limits::ECHO_CHARS;

/// A line cut to [`ECHO_CHARS`] characters; bytes that are not UTF-8 are replaced.
pub(crate) fn cut(line: &[u8]) -> String {
    String::from_utf8_lossy(line).chars().take(ECHO_CHARS as usize).collect()
}

/// A line in quotation marks for a message, with control characters escaped so that a tab differs from spaces.
pub(crate) fn quoted(line: &[u8]) -> String {
    let mut text = String::from("\"");
    for character in cut(line).chars() {
        match character.is_control() {
            true => text.extend(character.escape_debug()),
            false => text.push(character),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_shows_what_cannot_be_seen_and_stays_short() {
        assert_eq!(quoted(b"\ta\r"), r#""\ta\r""#);
        assert_eq!(quoted("é\\x".as_bytes()), "\"é\\x\"");
        assert_eq!(cut("é".repeat(200).as_bytes()).chars().count(), 80);
    }
}
