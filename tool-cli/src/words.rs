//! The words under which a tool stands on the command line.
//!
//! Words are kebab-case. A tool of a group loses the group's words from its name, at one end, since they stand in front of it
//! already: `read_file` in `file` is `file read`.

use std::borrow::Cow;

use heck::ToKebabCase;

/// The command words of a tool: `["file", "read"]`, or one word for a tool without a group.
///
/// ```
/// assert_eq!(tool_cli::words::command("list_files", Some("file")), ["file", "list"]);
/// assert_eq!(tool_cli::words::command("parseJSONFile", None), ["parse-json-file"]);
/// ```
pub fn command(name: &str, group: Option<&str>) -> Vec<String> {
    group.map(kebab).into_iter().chain([word(name, group).into_owned()]).collect()
}

/// The last of these words.
pub(crate) fn word<'n>(name: &'n str, group: Option<&str>) -> Cow<'n, str> {
    match group {
        Some(group) => in_group(name, group),
        None => kebab_of(name),
    }
}

/// A name in kebab-case, lower case.
pub fn kebab(name: &str) -> String {
    kebab_of(name).into_owned()
}

/// The same, borrowed where it is so already.
pub(crate) fn kebab_of(name: &str) -> Cow<'_, str> {
    // Every start of a program asks for each of its names, and almost all are plain snake case.
    match is_snake_case(name) {
        true if !name.contains('_') => Cow::Borrowed(name),
        true => Cow::Owned(name.replace('_', "-")),
        false => Cow::Owned(name.to_kebab_case()),
    }
}

/// Whether a name is ASCII snake case without an empty word.
fn is_snake_case(name: &str) -> bool {
    let mut before = b'_';
    let plain = |byte: u8| {
        let sound = byte.is_ascii_lowercase() || byte.is_ascii_digit() || (byte == b'_' && before != b'_');
        before = byte;
        sound
    };
    name.bytes().all(plain) && before != b'_'
}

/// The word of a tool inside its group.
fn in_group<'n>(name: &'n str, group: &str) -> Cow<'n, str> {
    let (name, group) = (kebab_of(name), kebab_of(group));
    let last = group.matches('-').count();
    let around = |at: usize| name.split_at_checked(at).map(|(front, rest)| (front, rest.get(1..).unwrap_or("")));
    let front = name.match_indices('-').nth(last).and_then(|(at, _)| around(at));
    let back = name.rmatch_indices('-').nth(last).and_then(|(at, _)| around(at));
    match (front, back) {
        (Some((front, rest)), _) if matches(front, &group) => Cow::Owned(rest.to_owned()),
        (_, Some((rest, back))) if matches(back, &group) => Cow::Owned(rest.to_owned()),
        _ => name,
    }
}

/// Whether as many words are equal, each with or without a final `s`.
fn matches(words: &str, group: &str) -> bool {
    let same = |(a, b): (&str, &str)| a == b || a.strip_suffix('s') == Some(b) || b.strip_suffix('s') == Some(a);
    words.split('-').zip(group.split('-')).all(same)
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
            assert_eq!(in_group(name, group), word, "{name} in {group}");
        }
    }

    #[test]
    fn at_least_one_word_remains() {
        assert_eq!(in_group("calculate", "calculate"), "calculate");
        assert_eq!(in_group("send_email", "mail"), "send-email");
    }

    #[test]
    fn words_are_lower_kebab_case() {
        assert_eq!(kebab("parseJSONFile"), "parse-json-file");
        assert_eq!(kebab("_private"), "private");
        assert_eq!(kebab("maxResults2"), "max-results2");
        for name in ["read_file", "a2b_3c", "x", "_x", "x_", "a__b", "parseJSONFile", "é_a"] {
            assert_eq!(kebab(name), name.to_kebab_case(), "{name}");
        }
    }
}
