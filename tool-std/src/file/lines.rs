//! Lines of a text: each ends at a line feed and keeps it; a final line feed ends the last line and starts no other.

use schemars::JsonSchema;
use serde::Serialize;

/// How the lines of a text end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Eol {
    /// All by a line feed.
    Lf,
    /// All by carriage return and line feed.
    Crlf,
    /// Some by one, some by the other.
    Mixed,
    /// There is no line end.
    None,
}

impl Eol {
    /// How the lines of a text end.
    pub(crate) fn of(text: &str) -> Self {
        let all = count_feeds(text);
        let with_return = text.matches("\r\n").count();
        match (all, with_return) {
            (0, _) => Eol::None,
            (_, 0) => Eol::Lf,
            (all, with_return) if all == with_return => Eol::Crlf,
            _ => Eol::Mixed,
        }
    }
}

/// How many lines a text has.
pub(crate) fn count(text: &str) -> usize {
    count_feeds(text) + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

fn count_feeds(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// The part of a text that one answer carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// The lines, with their ends, numbered if that was asked for.
    pub(crate) content: String,
    /// Number of the last line, from 1; `start - 1` when there is none.
    pub(crate) end: usize,
    /// Whether the only line was cut.
    pub(crate) line_cut: bool,
}

/// What a page may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) lines: usize,
    pub(crate) bytes: usize,
    pub(crate) numbered: bool,
}

/// The lines from number `start` on, as many as fit; a first line that alone is too long is cut at a code point.
pub(crate) fn page(text: &str, start: usize, bounds: Bounds) -> Page {
    let mut page = Page { content: String::new(), end: start.saturating_sub(1), line_cut: false };
    let lines = text.split_inclusive('\n').enumerate().skip(start.saturating_sub(1)).take(bounds.lines);
    for (index, line) in lines {
        let number = index + 1;
        let prefix = if bounds.numbered { format!("{number}\t") } else { String::new() };
        let room = bounds.bytes.saturating_sub(page.content.len());
        let fits = prefix.len() + line.len() <= room;
        if !fits && number > start {
            break;
        }
        page.end = number;
        page.content.push_str(&prefix);
        if fits {
            page.content.push_str(line);
        } else {
            page.content.push_str(cut(line, room.saturating_sub(prefix.len())));
            page.line_cut = true;
            break;
        }
    }
    page
}

/// At most so many bytes of a text, whole code points.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Bounds = Bounds { lines: 100, bytes: 1_000, numbered: false };

    #[test]
    fn pages_of_a_text_joined_are_the_text() {
        for text in ["", "a", "a\n", "a\nb", "a\r\n\r\nb\n", "é\n日本\n\n"] {
            for lines in 1..4 {
                let mut joined = String::new();
                let mut start = 1;
                while start <= count(text) {
                    let page = page(text, start, Bounds { lines, ..WHOLE });
                    joined.push_str(&page.content);
                    start = page.end + 1;
                }
                assert_eq!(joined, text);
            }
        }
    }

    #[test]
    fn a_final_line_feed_starts_no_line() {
        let counts = ["", "a", "a\n", "\n", "a\nb", "a\nb\n"].map(count);
        assert_eq!(counts, [0, 1, 1, 1, 2, 2]);
    }

    #[test]
    fn a_page_ends_before_the_line_that_would_not_fit() {
        let got = page("aa\nbb\ncc\n", 1, Bounds { bytes: 6, ..WHOLE });
        assert_eq!(got, Page { content: "aa\nbb\n".into(), end: 2, line_cut: false });
        let got = page("ééé", 1, Bounds { bytes: 3, ..WHOLE });
        assert_eq!(got, Page { content: "é".into(), end: 1, line_cut: true });
        let got = page("a\nb\n", 1, Bounds { bytes: 4, numbered: true, ..WHOLE });
        assert_eq!(got, Page { content: "1\ta\n".into(), end: 1, line_cut: false });
    }

    #[test]
    fn line_ends_are_told_apart() {
        let ends = ["", "a\rb", "a\n", "a\r\n", "a\r\nb\n"].map(Eol::of);
        assert_eq!(ends, [Eol::None, Eol::None, Eol::Lf, Eol::Crlf, Eol::Mixed]);
    }
}
