//! Documentation text: what `///` lines mean.
//!
//! The macro resolves literal comments itself ([`Doc::Text`]); text that only const evaluation knows, such as
//! `include_str!`, is resolved on first use ([`Doc::Raw`]).

use std::borrow::Cow;

/// A documentation comment or description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doc<'a> {
    /// Text in its final form: wrapped lines of a paragraph are joined.
    Text(&'a str),
    /// Text as it stands in the source, one line each.
    Raw(&'a str),
}

impl<'a> Doc<'a> {
    /// No text.
    pub const NONE: Doc<'static> = Doc::Text("");

    /// The text with wrapped lines joined.
    pub fn text(self) -> Cow<'a, str> {
        match self {
            Doc::Text(text) => Cow::Borrowed(text),
            Doc::Raw(text) => Cow::Owned(join_wrapped(text)),
        }
    }

    /// The first paragraph, where it needs no work.
    pub(crate) fn summary(self) -> Option<&'a str> {
        match self {
            Doc::Text(text) => Some(first_paragraph(text)),
            Doc::Raw(_) => None,
        }
    }
}

/// The text up to the first blank line.
pub(crate) fn first_paragraph(text: &str) -> &str {
    text.split("\n\n").next().unwrap_or(text)
}

/// Joins the wrapped lines of each paragraph by one blank; lists, headings, tables, quotes and fenced code keep theirs.
pub(crate) fn join_wrapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fenced = false;
    let mut previous_joins = false;
    for line in text.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
        let fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        let blank = line.is_empty();
        let own_line = fenced || fence || blank || starts_own_line(line);
        if !out.is_empty() {
            out.push(if previous_joins && !own_line { ' ' } else { '\n' });
        }
        out.push_str(if fenced || fence || starts_own_line(line) { line } else { line.trim_start() });
        previous_joins = !fenced && !fence && !blank && !line.starts_with('#');
        fenced ^= fence;
    }
    out.trim_matches(|c: char| c == '\n' || c == ' ').to_owned()
}

/// Whether a line begins a list item, heading, table row or quotation, or is indented code.
fn starts_own_line(line: &str) -> bool {
    let trimmed = line.trim_start();
    let number = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = number.len() < trimmed.len() && (number.starts_with(". ") || number.starts_with(") "));
    numbered
        || ["- ", "* ", "+ ", "#", "|", ">"].iter().any(|start| trimmed.starts_with(start))
        || line.starts_with("    ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_lines_are_joined_and_lists_keep_their_lines() {
        let raw = "\n Reads a\n text file.\n\n Returns:\n - lines\n - a count\n\n ```\n a\n   b\n ```\n";
        assert_eq!(
            Doc::Raw(raw).text(),
            "Reads a text file.\n\nReturns:\n- lines\n- a count\n\n```\na\n  b\n```"
        );
    }

    #[test]
    fn each_kind_of_line_keeps_its_place() {
        let rows = [
            ("a\nb", "a b"),
            ("a  \n   b", "a b"),
            ("a\n\nb\nc", "a\n\nb c"),
            ("# Head\nText", "# Head\nText"),
            ("a\n1. one\n2) two", "a\n1. one\n2) two"),
            ("a\n. dot\n12 apes", "a . dot 12 apes"),
            ("a\n* one\n  wrapped\n+ two", "a\n* one wrapped\n+ two"),
            ("a\n| x | y |\n> said", "a\n| x | y |\n> said"),
            ("a\n     code", "a\n    code"),
            ("~~~\nb\nc\n~~~\nd\ne", "~~~\nb\nc\n~~~\nd e"),
            ("```\nb\n```\nc\n```\nd\n\ne\n```", "```\nb\n```\nc\n```\nd\n\ne\n```"),
            ("  ```\n   b\n  ```\nc", "```\n  b\n ```\nc"),
        ];
        for (raw, text) in rows {
            assert_eq!(join_wrapped(raw), text, "{raw:?}");
        }
    }

    #[test]
    fn the_summary_of_text_in_its_final_form_needs_no_work() {
        assert_eq!(Doc::Text("One.\n\nMore.").summary(), Some("One."));
        assert_eq!(Doc::Raw("One.\n\nMore.").summary(), None);
    }
}
