//! The words under which a tool stands on the command line.
//!
//! Words are kebab-case. A tool of a group loses the group's words from its name, at one end, since they stand in front of it
//! already: `read_file` in `file` is `file read`.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::slice::SliceIndex;

use heck::ToKebabCase;

/// The command words of a tool: `["file", "read"]`, or one word for a tool without a group.
///
/// ```
/// assert_eq!(tool_cli::words::command("list_files", Some("file")), ["file", "list"]);
/// assert_eq!(tool_cli::words::command("parseJSONFile", None), ["parse-json-file"]);
/// ```
pub fn command(name: &str, group: Option<&str>) -> Vec<String> {
    group.map(kebab).into_iter().chain([Word::of_tool(name, group).to_string()]).collect()
}

/// A name in kebab-case, lower case.
pub fn kebab(name: &str) -> String {
    Word::of(name).to_string()
}

/// A name in kebab-case.
///
/// Every start of a program asks for each of its names, and almost all are plain snake case: such a one is borrowed, and read
/// with `-` for `_`.
#[derive(Clone, Debug)]
pub(crate) struct Word<'n>(Cow<'n, str>);

impl<'n> Word<'n> {
    /// The word of a name.
    pub(crate) fn of(name: &'n str) -> Word<'n> {
        Word(if is_plain(name) { Cow::Borrowed(name) } else { Cow::Owned(name.to_kebab_case()) })
    }

    /// The last word of a tool: in a group without the words of the group.
    pub(crate) fn of_tool(name: &'n str, group: Option<&str>) -> Word<'n> {
        let word = Word::of(name);
        let Some(group) = group.map(Word::of) else { return word };
        let last = group.separators().count();
        let (front, back) = (word.separators().nth(last), word.separators().rev().nth(last));
        match (front, back) {
            (Some(at), _) if word.part(..at).is_but_for_s(&group) => word.part(at + 1..),
            (_, Some(at)) if word.part(at + 1..).is_but_for_s(&group) => word.part(..at),
            _ => word,
        }
    }

    /// Where its separators are.
    fn separators(&self) -> impl DoubleEndedIterator<Item = usize> {
        let bytes = self.0.as_bytes().iter().enumerate();
        bytes.filter(|(_, byte)| matches!(byte, b'-' | b'_')).map(|(at, _)| at)
    }

    fn part(&self, range: impl SliceIndex<str, Output = str>) -> Word<'n> {
        Word(match &self.0 {
            Cow::Borrowed(name) => Cow::Borrowed(name.get(range).unwrap_or_default()),
            Cow::Owned(name) => Cow::Owned(name.get(range).unwrap_or_default().to_owned()),
        })
    }

    /// Whether as many words are equal, each with or without a final `s`.
    fn is_but_for_s(&self, other: &Word<'_>) -> bool {
        let same =
            |(a, b): (&str, &str)| a == b || a.strip_suffix('s') == Some(b) || b.strip_suffix('s') == Some(a);
        self.0.split(SEPARATORS).zip(other.0.split(SEPARATORS)).all(same)
    }

    /// What follows `no-`, if something does.
    pub(crate) fn without_no(&self) -> Option<Word<'n>> {
        let rest = self.0.strip_prefix("no")?;
        (rest.len() > 1 && rest.starts_with(SEPARATORS)).then(|| self.part(3..))
    }

    pub(crate) fn bytes(&self) -> impl ExactSizeIterator<Item = u8> + Clone {
        self.0.bytes().map(|byte| if byte == b'_' { b'-' } else { byte })
    }

    /// Whether it is this text.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.0.len() == text.len() && self.bytes().eq(text.bytes())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its bytes at both ends, of which an empty one has none. No word has a separator there.
    pub(crate) fn ends(&self) -> Option<(u8, u8)> {
        let bytes = self.0.as_bytes();
        Some((*bytes.first()?, *bytes.last()?))
    }
}

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.replace('_', "-"))
    }
}

impl PartialEq for Word<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes().eq(other.bytes())
    }
}

impl Eq for Word<'_> {}

impl PartialOrd for Word<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Word<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bytes().cmp(other.bytes())
    }
}

/// What stands between the words of a plain name.
const SEPARATORS: [char; 2] = ['-', '_'];

/// The kinds of bytes that matter to [`is_plain`], as bits.
const SEPARATOR: u8 = 1;
const OTHER: u8 = 2;

/// The kind of each byte, as a table: every start asks for each of its names.
static KINDS: [u8; 256] = kinds();

#[allow(clippy::indexing_slicing, reason = "it is the compiler that would stop")]
const fn kinds() -> [u8; 256] {
    let mut kinds = [OTHER; 256];
    let mut byte = 0;
    while byte < 128 {
        let letter = byte as u8;
        if letter.is_ascii_lowercase() || letter.is_ascii_digit() {
            kinds[byte] = 0;
        } else if letter == b'-' || letter == b'_' {
            kinds[byte] = SEPARATOR;
        }
        byte += 1;
    }
    kinds
}

/// Whether a name is kebab-case but for `_` in place of `-`: small ASCII letters and digits, and no empty word.
fn is_plain(name: &str) -> bool {
    let (mut wrong, mut before) = (0, SEPARATOR);
    for byte in name.bytes() {
        let kind = KINDS.get(usize::from(byte)).copied().unwrap_or(OTHER);
        wrong |= kind & (before | OTHER);
        before = kind;
    }
    wrong == 0 && before != SEPARATOR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_loses_the_words_of_its_group_at_one_end() {
        let cases = [
            ("read_file", "file", "read"),
            ("file_read", "file", "read"),
            ("list_files", "file", "list"),
            ("notes_search", "note", "search"),
            ("read_file", "files", "read"),
            ("get_key_values", "key_value", "get"),
            ("file_copy_file", "file", "copy-file"),
        ];
        for (name, group, word) in cases {
            assert!(Word::of_tool(name, Some(group)).is(word), "{name} in {group}");
        }
    }

    #[test]
    fn at_least_one_word_remains() {
        assert_eq!(command("calculate", Some("calculate")), ["calculate", "calculate"]);
        assert_eq!(command("send_email", Some("mail")), ["mail", "send-email"]);
    }

    #[test]
    fn words_are_lower_kebab_case() {
        assert_eq!(kebab("parseJSONFile"), "parse-json-file");
        assert_eq!(kebab("_private"), "private");
        assert_eq!(kebab("maxResults2"), "max-results2");
        for name in [
            "read_file",
            "read-file",
            "a-b_c",
            "a2b_3c",
            "x",
            "_x",
            "x_",
            "a__b",
            "a-_b",
            "-x",
            "parseJSONFile",
            "é_a",
        ] {
            assert_eq!(kebab(name), name.to_kebab_case(), "{name}");
        }
    }
}
