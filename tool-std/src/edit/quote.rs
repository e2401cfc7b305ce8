//! Lines of a file or patch as errors quote them: cut, and with control characters made visible.

/// A line cut to so many characters (`echo_chars`); bytes that are not UTF-8 are replaced.
pub(crate) fn cut(line: &[u8], most: u64) -> String {
    String::from_utf8_lossy(line).chars().take(usize::try_from(most).unwrap_or(usize::MAX)).collect()
}

/// A line in quotation marks for a message, with control characters escaped so that a tab differs from spaces.
pub(crate) fn quoted(line: &[u8], most: u64) -> String {
    let mut text = String::from("\"");
    for character in cut(line, most).chars() {
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
        assert_eq!(quoted(b"\ta\r", 80), r#""\ta\r""#);
        assert_eq!(quoted("é\\x".as_bytes(), 80), "\"é\\x\"");
        assert_eq!(cut("é".repeat(200).as_bytes(), 80).chars().count(), 80);
    }
}
