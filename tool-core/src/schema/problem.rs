//! Why a schema cannot be used, and where.

use std::fmt;

/// A schema that is no schema for a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct SchemaProblem {
    /// `schema_invalid`, `schema_remote_ref`, `schema_false`, `flatten_not_object` or `param_clash`.
    pub code: &'static str,
    /// RFC 6901 pointer into the schema.
    pub pointer: String,
    /// What is wrong there.
    pub text: String,
}

impl SchemaProblem {
    pub(crate) fn new(code: &'static str, pointer: &str, text: impl Into<String>) -> Self {
        Self { code, pointer: pointer.to_owned(), text: text.into() }
    }

    /// The sentence that a registry prints about a tool.
    pub(crate) fn sentence(&self, tool: &str) -> String {
        match self.code {
            // These are about parameters, not about a place in the schema.
            "flatten_not_object" | "param_clash" => self.text.clone(),
            _ => format!("the input schema of `{tool}` is not valid at {self}"),
        }
    }

    pub(crate) fn invalid(pointer: &str, text: impl Into<String>) -> Self {
        Self::new("schema_invalid", pointer, text)
    }
}

impl fmt::Display for SchemaProblem {
    /// The second half of the sentence that a registry prints: `/pointer: what is wrong`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.pointer, self.text)
    }
}
