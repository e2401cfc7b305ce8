//! What a terminal would act upon, made visible. A pipe gets the bytes.

/// The text with control characters but line feed and tab, and bidirectional controls, as `\u{1b}`.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a terminal does something other than show the character (UAX #9 lists the bidirectional controls).
fn acts(c: char) -> bool {
    let bidirectional =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && c != '\n' && c != '\t') || bidirectional
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_upon_is_escaped_and_the_rest_is_kept() {
        assert_eq!(visible("a\u{1b}[31mred\u{7}\u{202e}b"), "a\\u{1b}[31mred\\u{7}\\u{202e}b");
        assert_eq!(visible("one\n\ttwo é 日本"), "one\n\ttwo é 日本");
    }
}
