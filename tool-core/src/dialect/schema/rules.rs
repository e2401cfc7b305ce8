//! What becomes of the keywords that restrict or describe a value, per wire form: the table of dialects.md §4.
//!
//! Keywords that give a schema its shape (`type`, `properties`, `items`, unions, references) are the walker's.

use crate::dialect::wire::Wire;

/// What becomes of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// It is sent.
    Keep,
    /// It is told in a sentence.
    Note,
    /// The tool is sent loose.
    Down,
    /// A sentence for a map that travels as a list of entries, else the tool is sent loose.
    NoteOfEntries,
    /// It is left out, and the wire accepts more.
    Gone,
    /// It is left out, and nothing is lost.
    Silent,
    /// It is sent where every regex engine reads it alike, else told.
    IfPortable,
    /// It is sent where the list has the format, else told.
    IfIn(&'static [&'static str]),
    /// At most 1 is sent, more is told beside it.
    AtMostOne,
}

use Rule::{AtMostOne, Down, Gone, IfIn, IfPortable, Keep, Note, NoteOfEntries, Silent};

/// Formats that OpenAI generates.
const OPENAI: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
/// Formats that Anthropic generates.
const ANTHROPIC: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"];
/// Formats that Gemini knows.
const GEMINI: &[&str] = &["date-time", "date", "time"];

/// Keywords, then their rule in each form, in the order of [`Wire::ALL`].
type Row = (&'static [&'static str], [Rule; 5]);

const ROWS: &[Row] = &[
    (&["enum"], [Keep, Keep, Keep, Keep, Keep]),
    (&["minimum", "maximum"], [Keep, Keep, Note, Keep, Keep]),
    (&["exclusiveMinimum", "exclusiveMaximum", "multipleOf"], [Keep, Keep, Note, Note, Keep]),
    (&["minLength", "maxLength"], [Keep, Note, Note, Note, Keep]),
    (&["pattern"], [Keep, IfPortable, Note, Note, Keep]),
    (&["format"], [Keep, IfIn(OPENAI), IfIn(ANTHROPIC), IfIn(GEMINI), Keep]),
    (&["minItems"], [Keep, Keep, AtMostOne, Keep, Keep]),
    (&["maxItems"], [Keep, Keep, Note, Keep, Keep]),
    (&["uniqueItems", "default", "examples"], [Keep, Note, Note, Note, Keep]),
    (&["deprecated", "contentEncoding", "contentMediaType"], [Keep, Note, Note, Note, Keep]),
    (&["minProperties", "maxProperties"], [Keep, NoteOfEntries, NoteOfEntries, Note, Keep]),
    (&["readOnly", "writeOnly"], [Keep, Silent, Silent, Silent, Keep]),
    (
        &[
            "allOf",
            "not",
            "if",
            "patternProperties",
            "propertyNames",
            "dependentRequired",
            "dependentSchemas",
            "dependencies",
            "contains",
            "unevaluatedProperties",
            "unevaluatedItems",
        ],
        [Keep, Down, Down, Gone, Keep],
    ),
    // They say nothing without `if` and `contains`, which are reported.
    (&["then", "else", "minContains", "maxContains"], [Keep, Silent, Silent, Silent, Keep]),
];

/// Any other keyword.
const OTHER: [Rule; 5] = [Keep, Gone, Gone, Gone, Keep];

/// The rule of a keyword in a form.
pub(super) fn rule(keyword: &str, wire: Wire) -> Rule {
    let row = ROWS.iter().find(|row| row.0.contains(&keyword)).map_or(&OTHER, |row| &row.1);
    Wire::ALL.iter().position(|form| *form == wire).and_then(|form| row.get(form)).copied().unwrap_or(Keep)
}

/// Whether every regex engine reads a pattern alike: no look-around, back-reference, named group or word boundary.
pub(crate) fn is_portable(pattern: &str) -> bool {
    let mut rest = pattern;
    while let Some(character) = rest.chars().next() {
        let after = rest.get(character.len_utf8()..).unwrap_or("");
        if character == '\\' {
            let escaped = after.chars().next();
            if escaped.is_some_and(|c| matches!(c, 'b' | 'B' | 'k' | '1'..='9')) {
                return false;
            }
            rest = after.get(escaped.map_or(0, char::len_utf8)..).unwrap_or("");
            continue;
        }
        if ["(?=", "(?!", "(?<", "(?P"].iter().any(|start| rest.starts_with(start)) {
            return false;
        }
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_engines_read_differently_is_not_portable() {
        for pattern in ["a(?=b)", "(?<!a)b", "(?P<n>a)", "(?<n>a)", r"\bfoo", r"(a)\1", r"\k<n>", r"\Bx"] {
            assert!(!is_portable(pattern), "{pattern}");
        }
        for pattern in ["^[A-Z]{2}\\d{4}$", "(?:a|b)+", r"\\b", r"a\.b", ""] {
            assert!(is_portable(pattern), "{pattern}");
        }
    }

    #[test]
    fn no_keyword_has_two_rules() {
        let mut keywords: Vec<_> = ROWS.iter().flat_map(|row| row.0).collect();
        let all = keywords.len();
        keywords.sort();
        keywords.dedup();
        assert_eq!(keywords.len(), all);
    }
}
