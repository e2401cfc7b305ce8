//! Names of tools: what they may look like, and when two of them meet.

use std::cmp::Ordering;

/// The pattern of tool names, aliases and parameter names, as messages show it.
pub(crate) const NAME_PATTERN: &str = "^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$";

/// Whether a name matches [`NAME_PATTERN`].
pub(crate) fn is_valid(name: &str) -> bool {
    let mut bytes = name.bytes();
    name.len() <= 64
        && bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// A valid name near a bad one: runs of bad characters become `_`, outer ones go, a digit gets `_` in front.
pub(crate) fn suggestion(name: &str) -> String {
    let mut out = String::new();
    let mut in_run = false;
    for c in name.chars() {
        let bad = !(c.is_ascii_alphanumeric() || c == '_' || c == '-');
        if !bad {
            out.push(c);
        } else if !in_run {
            out.push('_');
        }
        in_run = bad;
    }
    let mut out = out.trim_matches('_').to_owned();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert(0, '_');
    }
    out.truncate(64);
    out
}

/// Bytes of a name as hosts and command lines fold it: lower case, `-` as `_`.
fn folded(name: &str) -> impl Iterator<Item = u8> + '_ {
    name.bytes().map(|byte| if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() })
}

/// Whether folding leaves a name as it is.
pub(crate) fn is_folded(name: &str) -> bool {
    name.bytes().all(|byte| byte != b'-' && !byte.is_ascii_uppercase())
}

/// Orders names by their folded form, without allocating.
pub(crate) fn cmp_folded(a: &str, b: &str) -> Ordering {
    folded(a).cmp(folded(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suggested_name_is_valid() {
        for name in ["2nd", "a b", "größe", "", "!!", "-x", &"a".repeat(80), "a.b.c"] {
            assert!(!is_valid(name), "{name}");
            assert!(is_valid(&suggestion(name)), "{name} → {}", suggestion(name));
        }
        assert_eq!(suggestion("2nd"), "_2nd");
        assert_eq!(suggestion("a b"), "a_b");
    }

    #[test]
    fn names_that_hosts_fold_together_are_equal() {
        assert_eq!(cmp_folded("Read-File", "read_file"), Ordering::Equal);
        assert_ne!(cmp_folded("read_file", "read_files"), Ordering::Equal);
        for name in ["Read_file", "read-file", "readFile"] {
            assert!(!is_folded(name), "{name}");
        }
        assert!(is_folded("read_file_2"));
    }
}
