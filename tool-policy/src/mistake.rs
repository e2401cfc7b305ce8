//! What can be wrong with a policy file, and where.

use std::fmt;

use tool_core::ToolError;

/// A place in a file, from 1, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

impl Position {
    /// The beginning of a file.
    pub const START: Position = Position { line: 1, column: 1 };
}

/// The kinds of mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MistakeCode {
    /// Not TOML or YAML, or a key twice.
    Syntax,
    /// `version` is missing or not 1.
    Version,
    /// A key that does not exist.
    UnknownKey,
    /// A tool that does not exist.
    UnknownTool,
    /// Wrong type, range, unit or word.
    BadValue,
    /// A pattern that cannot be meant.
    BadPattern,
    /// An agent or a list entry twice, or both forms in one file.
    Duplicate,
    /// It would do nothing.
    NoEffect,
    /// An anchor, alias, tag, merge key or second document.
    YamlFeature,
    /// Too long or too deep.
    TooLarge,
}

/// Every code with its word.
const CODES: [(MistakeCode, &str); 10] = [
    (MistakeCode::Syntax, "policy_syntax"),
    (MistakeCode::Version, "policy_version"),
    (MistakeCode::UnknownKey, "policy_unknown_key"),
    (MistakeCode::UnknownTool, "policy_unknown_tool"),
    (MistakeCode::BadValue, "policy_bad_value"),
    (MistakeCode::BadPattern, "policy_bad_pattern"),
    (MistakeCode::Duplicate, "policy_duplicate"),
    (MistakeCode::NoEffect, "policy_no_effect"),
    (MistakeCode::YamlFeature, "policy_yaml_feature"),
    (MistakeCode::TooLarge, "policy_too_large"),
];

impl MistakeCode {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        CODES.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where.
    pub at: Position,
    /// What kind.
    pub code: MistakeCode,
    /// What is wrong.
    pub text: String,
    /// What may have been meant.
    pub suggestion: Option<String>,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.at.line, self.at.column, self.text)?;
        match &self.suggestion {
            Some(name) => write!(f, "; did you mean \"{name}\"?"),
            None => Ok(()),
        }
    }
}

/// All mistakes of a file, by position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The name of the file.
    pub file: String,
    /// The mistakes; at least one.
    pub mistakes: Vec<Mistake>,
}

impl fmt::Display for LoadError {
    /// One line each: `FILE:LINE:COLUMN: text; did you mean "…"?`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, mistake) in self.mistakes.iter().enumerate() {
            let end = if i == 0 { "" } else { "\n" };
            write!(f, "{end}{}:{mistake}", self.file)?;
        }
        Ok(())
    }
}

impl std::error::Error for LoadError {}

impl From<LoadError> for ToolError {
    fn from(error: LoadError) -> ToolError {
        let code = error.mistakes.first().map_or("policy_syntax", |mistake| mistake.code.as_str());
        let list: Vec<serde_json::Value> = error
            .mistakes
            .iter()
            .map(|mistake| {
                serde_json::json!({
                    "line": mistake.at.line, "column": mistake.at.column, "code": mistake.code.as_str(),
                    "text": mistake.text, "suggestion": mistake.suggestion,
                })
            })
            .collect();
        ToolError::not_configured(error.to_string()).code(code).detail("mistakes", list)
    }
}
