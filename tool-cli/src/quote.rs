//! Words as a shell takes them.

/// A word that a POSIX shell reads as it is: bare where nothing in it is special, else in single quotes.
///
/// ```
/// assert_eq!(tool_cli::quote::quote("a/b=1"), "a/b=1");
/// assert_eq!(tool_cli::quote::quote("it's"), r"'it'\''s'");
/// ```
pub fn quote(word: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(bare) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_act_upon_stands_in_quotes() {
        for word in ["a", "-n", "@x", "a=1", "1,2"] {
            assert_eq!(quote(word), word);
        }
        for word in ["", "a b", "$x", "=x", "*", "é"] {
            assert_eq!(quote(word), format!("'{word}'"));
        }
    }
}
