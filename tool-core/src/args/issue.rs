//! One thing that is wrong with the arguments of a call: where, what was expected, what came.
//!
//! The texts are made by [`super::texts`]; the error that carries issues is [`crate::ToolError`].

use serde::{Deserialize, Serialize};

/// The most issues that one error lists; `details.more` counts the rest.
pub const MAX_ISSUES: usize = 50;

/// A misfit between what a caller sent and what a tool takes.
///
/// `path` is an RFC 6901 pointer into what the caller sent, with the caller's spelling of each key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgIssue {
    /// RFC 6901 pointer, `""` for the whole input.
    pub path: String,
    /// What kind of misfit it is.
    pub code: IssueCode,
    /// What would be right.
    pub expected: String,
    /// What came, cut to 40 characters, or its type alone under a secret parameter.
    pub got: String,
    /// How to repair it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The kinds of [`ArgIssue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueCode {
    /// A required argument or field was not given.
    Missing,
    /// A key that no parameter or field has.
    Unknown,
    /// A value of another type.
    Type,
    /// A number outside its bounds.
    Range,
    /// A text, list or map of a length outside its bounds.
    Length,
    /// A text that does not match the pattern.
    Pattern,
    /// A value that is not one of a closed set.
    Choice,
    /// An integer whose digits a double may have lost already.
    Precision,
    /// A value that several alternatives of an untagged type take.
    Ambiguous,
    /// A key, alias or set item given twice.
    Duplicate,
    /// A rule between parameters that does not hold.
    Constraint,
    /// A value that the type's own decoding refused.
    Invalid,
    /// Text that is not JSON.
    Syntax,
    /// Nesting beyond the limit.
    Depth,
    /// More bytes than the limit.
    Size,
}

impl IssueCode {
    /// The code as it stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Unknown => "unknown",
            Self::Type => "type",
            Self::Range => "range",
            Self::Length => "length",
            Self::Pattern => "pattern",
            Self::Choice => "choice",
            Self::Precision => "precision",
            Self::Ambiguous => "ambiguous",
            Self::Duplicate => "duplicate",
            Self::Constraint => "constraint",
            Self::Invalid => "invalid",
            Self::Syntax => "syntax",
            Self::Depth => "depth",
            Self::Size => "size",
        }
    }
}

impl std::fmt::Display for ArgIssue {
    /// The sentence for people, `/limit: expected integer 1..=10, got string "many"`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = if self.path.is_empty() { "arguments" } else { &self.path };
        match self.code {
            IssueCode::Missing => write!(f, "{path}: missing; expected {}", self.expected)?,
            IssueCode::Unknown => match &self.hint {
                Some(hint) if hint.starts_with("did you mean") => {
                    return write!(f, "{path}: unknown; {hint}");
                }
                _ => write!(f, "{path}: unknown; expected {}", self.expected)?,
            },
            _ => write!(f, "{path}: expected {}, got {}", self.expected, self.got)?,
        }
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_reads_as_a_sentence() {
        use IssueCode::{Missing, Range, Unknown};
        for (path, code, expected, got, hint, sentence) in [
            ("/n", Range, "integer 1..=9", "integer 10", None, "/n: expected integer 1..=9, got integer 10"),
            ("", Range, "an object", "null", None, "arguments: expected an object, got null"),
            (
                "/n",
                Range,
                "text",
                "number 1.5",
                Some("quote it"),
                "/n: expected text, got number 1.5; quote it",
            ),
            ("/n", Missing, "string", "nothing", None, "/n: missing; expected string"),
            (
                "/n",
                Missing,
                "object",
                "nothing",
                Some("put it in"),
                "/n: missing; expected object; put it in",
            ),
            ("/pth", Unknown, "no fields", "null", None, "/pth: unknown; expected no fields"),
            ("/pth", Unknown, "no fields", "null", Some("no"), "/pth: unknown; expected no fields; no"),
            (
                "/pth",
                Unknown,
                "no",
                "null",
                Some("did you mean `path`?"),
                "/pth: unknown; did you mean `path`?",
            ),
        ] {
            let (path, expected, got) = (path.to_owned(), expected.to_owned(), got.to_owned());
            let issue = ArgIssue { path, code, expected, got, hint: hint.map(str::to_owned) };
            assert_eq!(issue.to_string(), sentence);
        }
    }
}
