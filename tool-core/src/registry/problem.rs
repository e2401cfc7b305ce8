//! What a registry cannot be built with: every problem at once, each with the places it comes from.

use std::fmt;

use crate::error::{ErrorKind, ToolError};

/// The kinds of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemCode {
    /// Two tools with one name.
    DuplicateName,
    /// An alias that is a name of another tool.
    AliasClash,
    /// Two names that hosts fold together.
    NameClash,
    /// A name or alias outside the pattern.
    NameInvalid,
    /// A set expects a tool that is not linked.
    Missing,
    /// No tool at all.
    Empty,
    /// A pattern that matches nothing.
    SelectionEmpty,
    /// A selection that is not one.
    SelectionInvalid,
    /// A tool to rename that does not exist.
    RenameUnknown,
    /// A capability that the context does not provide.
    CapabilityMissing,
    /// One secret declared with different choices.
    SecretConflict,
    /// A flattened parameter that is neither struct nor internally tagged enum.
    FlattenNotObject,
    /// Two parameters of one name.
    ParamClash,
    /// Something said of a parameter that the schema does not have.
    ParamUnknown,
    /// An input schema that is not one.
    SchemaInvalid,
    /// A schema that refers to another document.
    SchemaRemoteRef,
    /// A schema that accepts nothing.
    SchemaFalse,
    /// A tool without a description.
    DescriptionMissing,
    /// A set of a loaded library that was built for another tool-core.
    CoreMismatch,
}

impl ProblemCode {
    /// Every code with its word.
    pub const ALL: [(ProblemCode, &'static str); 19] = [
        (ProblemCode::DuplicateName, "duplicate_name"),
        (ProblemCode::AliasClash, "alias_clash"),
        (ProblemCode::NameClash, "name_clash"),
        (ProblemCode::NameInvalid, "name_invalid"),
        (ProblemCode::Missing, "missing"),
        (ProblemCode::Empty, "empty"),
        (ProblemCode::SelectionEmpty, "selection_empty"),
        (ProblemCode::SelectionInvalid, "selection_invalid"),
        (ProblemCode::RenameUnknown, "rename_unknown"),
        (ProblemCode::CapabilityMissing, "capability_missing"),
        (ProblemCode::SecretConflict, "secret_conflict"),
        (ProblemCode::FlattenNotObject, "flatten_not_object"),
        (ProblemCode::ParamClash, "param_clash"),
        (ProblemCode::ParamUnknown, "param_unknown"),
        (ProblemCode::SchemaInvalid, "schema_invalid"),
        (ProblemCode::SchemaRemoteRef, "schema_remote_ref"),
        (ProblemCode::SchemaFalse, "schema_false"),
        (ProblemCode::DescriptionMissing, "description_missing"),
        (ProblemCode::CoreMismatch, "core_mismatch"),
    ];

    /// The code of what is wrong with a schema.
    pub(super) fn of_schema(word: &str) -> ProblemCode {
        Self::ALL.iter().find(|row| row.1 == word).map_or(ProblemCode::SchemaInvalid, |row| row.0)
    }

    /// The word of the code.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }
}

/// One thing that keeps a registry from being built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What kind it is.
    pub code: ProblemCode,
    /// The tool it is about; empty when it is about all.
    pub tool: String,
    /// The places it comes from, `crate 1.2.0 src/file.rs:41`.
    pub origins: Vec<String>,
    /// What is wrong.
    pub text: String,
    /// What to do.
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.text)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

/// Why a registry was not built. Printed one problem a line, sorted by tool, then code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryError {
    /// Every problem.
    pub problems: Vec<Problem>,
}

impl RegistryError {
    /// Sorts the problems into the order they are printed in.
    pub(super) fn new(mut problems: Vec<Problem>) -> Self {
        problems
            .sort_by(|a, b| (&a.tool, a.code.as_str(), &a.text).cmp(&(&b.tool, b.code.as_str(), &b.text)));
        Self { problems }
    }
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for RegistryError {}

impl From<RegistryError> for ToolError {
    /// Kind `failed`, or `not_configured` when only capabilities are missing. One problem is the message and the code of the
    /// error; of several each is a line that begins with its code.
    fn from(error: RegistryError) -> ToolError {
        let only_capabilities =
            error.problems.iter().all(|problem| problem.code == ProblemCode::CapabilityMissing);
        let kind = if only_capabilities { ErrorKind::NotConfigured } else { ErrorKind::Failed };
        match error.problems.as_slice() {
            [one] => {
                let told = ToolError::new(kind, one.text.clone()).code(one.code.as_str());
                one.hint.iter().fold(told, |told, hint| told.hint(hint.clone()))
            }
            all => {
                let code = all.first().map_or("registry", |problem| problem.code.as_str());
                ToolError::new(kind, error.to_string()).code(code)
            }
        }
    }
}
