//! Splitting like a shell splits plain words: blanks, quotes and, in patterns, backslashes.

/// The words of a text; `None` where a quote or an escape is left open.
pub(crate) fn split(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('"'), '\\') => {
                let next = rest.next()?;
                let word = word.get_or_insert_default();
                if !matches!(next, '"' | '\\' | '$' | '`') {
                    word.push('\\');
                }
                word.push(next);
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '\\') => word.get_or_insert_default().push(rest.next()?),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// What a shell would do more with than splitting.
const SPECIAL: [char; 21] = [
    ';', '&', '|', '<', '>', '(', ')', '$', '`', '#', '*', '?', '[', ']', '{', '}', '~', '!', '\\', '\n',
    '\r',
];

/// The words of a shell line that is nothing but plain words; `None` for any other.
pub(crate) fn plain_line(line: &str) -> Option<Vec<String>> {
    if line.contains(SPECIAL) {
        return None;
    }
    let words = split(line).filter(|words| !words.is_empty())?;
    let assigns = words.first().and_then(|first| first.split_once('=')).is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    (!assigns).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_backslash_in_double_quotes_stays_before_all_that_needs_none() {
        for (text, words) in [
            (r#""a\""#, None),
            (r#""a\"""#, Some(vec![r#"a""#])),
            (r#""a\b""#, Some(vec![r"a\b"])),
            (r#""a\"b" c"#, Some(vec![r#"a"b"#, "c"])),
            (r#""a\nb""#, Some(vec![r"a\nb"])),
            (r#""a\$b\`""#, Some(vec!["a$b`"])),
            (r"a\ b", Some(vec!["a b"])),
            (r"'a\b'", Some(vec![r"a\b"])),
        ] {
            assert_eq!(
                split(text),
                words.map(|words| words.into_iter().map(str::to_owned).collect()),
                "{text}"
            );
        }
    }
}
