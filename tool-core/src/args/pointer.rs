//! RFC 6901 pointers, grown key by key while a value is walked.

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
}
