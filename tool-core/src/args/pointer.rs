//! RFC 6901 pointers, grown key by key while a value is walked.

/// Characters of a caller's key that a pointer repeats.
const GIVEN_CHARACTERS: usize = 80;

/// Appends `/key` for a key that a caller gave, cut after 80 characters with `…`: a refusal must not grow with what it refuses.
pub fn push_given(pointer: &mut String, key: &str) {
    match key.char_indices().nth(GIVEN_CHARACTERS) {
        None => push_key(pointer, key),
        Some((end, _)) => {
            push_key(pointer, key.get(..end).unwrap_or_default());
            pointer.push('…');
        }
    }
}

/// Appends `/key` to a pointer, with `~` and `/` of the key escaped.
pub(crate) fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    for character in key.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_and_tildes_of_a_key_are_escaped() {
        let mut pointer = String::new();
        push_key(&mut pointer, "a/b");
        push_key(&mut pointer, "~1");
        push_key(&mut pointer, "");
        assert_eq!(pointer, "/a~1b/~01/");
    }

    #[test]
    fn a_key_of_a_caller_is_cut_between_characters() {
        let of = |key: &str| {
            let mut pointer = String::new();
            push_given(&mut pointer, key);
            pointer
        };
        assert_eq!(of(&"é".repeat(80)), format!("/{}", "é".repeat(80)));
        assert_eq!(of(&"/".repeat(81)), format!("/{}…", "~1".repeat(80)));
    }
}
