//! The version of a file: the first digits of the SHA-256 of its bytes (files.md §4).

use sha2::{Digest, Sha256};
use tool_core::{IssueCode, ToolError};

use super::misfit::{misfit, text};

/// Hex digits of a version in a result.
const DIGITS: usize = 16;
/// Hex digits that `expected_version` may have.
const EXPECTED_DIGITS: std::ops::RangeInclusive<usize> = DIGITS..=64;

/// The version of a content.
pub(crate) fn of(bytes: &[u8]) -> String {
    digest(bytes).chars().take(DIGITS).collect()
}

/// The whole SHA-256 of a content, in lower-case hex.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A version that is computed piece by piece.
#[derive(Default)]
pub(crate) struct Hasher(Sha256);

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> String {
        hex(&self.0.finalize()).chars().take(DIGITS).collect()
    }
}

/// What a caller expects a file to be: 16 to 64 digits, any case, a prefix of the digest.
#[derive(Clone, Debug)]
pub(crate) struct Expected(String);

impl Expected {
    /// Checks the form.
    ///
    /// # Errors
    /// `invalid_args` with an issue at `/expected_version`.
    pub(crate) fn parse(given: &str) -> Result<Self, ToolError> {
        let fits =
            EXPECTED_DIGITS.contains(&given.len()) && given.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !fits {
            let expected = "string of 16..=64 hex digits, as `version` of a result";
            return Err(misfit(IssueCode::Pattern, "expected_version", expected, text(given)));
        }
        Ok(Self(given.to_ascii_lowercase()))
    }

    /// Whether a content is what was expected.
    pub(crate) fn matches(&self, bytes: &[u8]) -> bool {
        digest(bytes).starts_with(&self.0)
    }

    /// The version as messages show it.
    pub(crate) fn shown(&self) -> &str {
        self.0.get(..DIGITS).unwrap_or(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_head_of_the_digest() {
        assert_eq!(of(b"hello world"), "b94d27b9934d3e08");
        let mut hasher = Hasher::default();
        hasher.update(b"hello ");
        hasher.update(b"world");
        assert_eq!(hasher.finish(), of(b"hello world"));
    }

    #[test]
    fn an_expected_version_is_a_prefix_in_any_case() {
        for given in ["B94D27B9934D3E08", &digest(b"hello world"), &digest(b"hello world")[..20]] {
            assert!(Expected::parse(given).unwrap().matches(b"hello world"), "{given}");
        }
        assert!(!Expected::parse("0000000000000000").unwrap().matches(b"hello world"));
        for given in ["b94d27b9934d3e0", "b94d27b9934d3e0g", &"0".repeat(65), ""] {
            assert_eq!(Expected::parse(given).unwrap_err().arg_issues()[0].path, "/expected_version");
        }
    }
}
