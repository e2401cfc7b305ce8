//! What a dialect could not carry as it is.

use std::fmt;

use serde::Serialize;

/// What was done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Told in words; the decoder enforces it.
    Described,
    /// The wire accepts more and does not say so.
    Relaxed,
    /// The tool is not strict because of it.
    Downgraded,
    /// The dialect cannot carry the tool.
    Refused,
}

impl Action {
    /// The word of the action.
    pub fn as_str(self) -> &'static str {
        match self {
            Action::Described => "described",
            Action::Relaxed => "relaxed",
            Action::Downgraded => "downgraded",
            Action::Refused => "refused",
        }
    }
}

/// One construct that a wire form could not carry as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SchemaIssue {
    /// JSON pointer into the canonical schema.
    pub path: String,
    /// The keyword there; `type` for a value of any type.
    pub keyword: String,
    /// What was done about it.
    pub action: Action,
}

impl fmt::Display for SchemaIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.path, self.keyword, self.action.as_str())
    }
}

/// The same, of a tool in a dialect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DialectIssue {
    /// The tool.
    pub tool: String,
    /// The dialect.
    pub dialect: super::DialectId,
    /// What it is.
    #[serde(flatten)]
    pub issue: SchemaIssue,
}

impl fmt::Display for DialectIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.tool, self.dialect, self.issue)
    }
}
