//! The header of a hunk, `@@ -S,o +N,n @@`, which must be written exactly so.

/// Digits that a number may have.
const DIGITS_MAX: usize = 9;
/// The greatest line number with so many digits.
const LINES_MAX: usize = 999_999_999;

/// The four numbers of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Line number of the first old line; for a hunk without old lines, of the line before it.
    pub(super) old_start: usize,
    pub(super) old_lines: usize,
    /// As written; not checked.
    pub(super) new_start: usize,
    pub(super) new_lines: usize,
}

impl Header {
    /// Reads a header; anything may follow the second `@@`. Line 0 is where a hunk without old lines may start.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let rest = line.strip_prefix(b"@@ -")?;
        let (old_start, old_lines, rest) = range(rest)?;
        let rest = rest.strip_prefix(b" +")?;
        let (new_start, new_lines, rest) = range(rest)?;
        let is_in_range = (old_start > 0 || old_lines == 0) && old_start + old_lines <= LINES_MAX + 1;
        let is_whole = rest.starts_with(b" @@") && is_in_range;
        is_whole.then_some(Self { old_start, old_lines, new_start, new_lines })
    }

    /// How many lines of the file come before the hunk, by its own numbers.
    pub(super) fn start(&self) -> usize {
        if self.old_lines == 0 { self.old_start } else { self.old_start.saturating_sub(1) }
    }

    /// The header with other counts, as a patch writes it.
    pub(super) fn with_counts(&self, old_lines: usize, new_lines: usize) -> String {
        format!("@@ -{},{old_lines} +{},{new_lines} @@", self.old_start, self.new_start)
    }
}

/// `S` or `S,o`; a missing count is 1.
fn range(text: &[u8]) -> Option<(usize, usize, &[u8])> {
    let (start, rest) = number(text)?;
    match rest.strip_prefix(b",") {
        Some(rest) => number(rest).map(|(count, rest)| (start, count, rest)),
        None => Some((start, 1, rest)),
    }
}

fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > DIGITS_MAX {
        return None;
    }
    let (digits, rest) = text.split_at_checked(digits)?;
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_count_is_one() {
        let header = Header::read(b"@@ -12 +13,0 @@ fn main() {").unwrap();
        assert_eq!(header, Header { old_start: 12, old_lines: 1, new_start: 13, new_lines: 0 });
        assert_eq!(header.with_counts(2, 1), "@@ -12,2 +13,1 @@");
    }

    #[test]
    fn only_the_exact_form_is_a_header() {
        for line in
            ["@@", "@@ ... @@", "@@ -1 @@", "@@-1 +1@@", "@@ -1,-1 +1 @@", "@@ -1  +1 @@", "@@ -0 +1 @@"]
        {
            assert_eq!(Header::read(line.as_bytes()), None, "{line}");
        }
        assert!(Header::read(b"@@ -1000000000 +1 @@").is_none());
        assert!(Header::read(b"@@ -999999999,2 +1 @@").is_none(), "its last line has ten digits");
        assert!(Header::read(b"@@ -1,999999999 +1 @@").is_some());
        assert!(Header::read(b"@@ -999999999 +999999999,999999999 @@").is_some());
        assert!(Header::read(b"@@ -0,0 +1 @@heading").is_some());
    }
}
