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
    match group {
        Some(group) => vec![kebab(group), in_group(name, group)],
        None => vec![kebab(name)],
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
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.bytes().all(plain) && name.split('_').all(|word| !word.is_empty())
}

/// The word of a tool inside its group.
fn in_group(name: &str, group: &str) -> String {
    let (name, group) = (kebab(name), kebab(group));
    let words: Vec<&str> = name.split('-').collect();
    let group: Vec<&str> = group.split('-').collect();
    if words.len() > group.len() {
        let (front, rest) = words.split_at(group.len());
        if matches(front, &group) {
            return rest.join("-");
        }
        let (rest, back) = words.split_at(words.len() - group.len());
        if matches(back, &group) {
            return rest.join("-");
        }
    }
    name
}

/// Whether two lists of words are equal, each word with or without a final `s`.
fn matches(words: &[&str], group: &[&str]) -> bool {
    let same = |a: &str, b: &str| a == b || a.strip_suffix('s') == Some(b) || b.strip_suffix('s') == Some(a);
    words.len() == group.len() && words.iter().zip(group).all(|(word, group)| same(word, group))
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
