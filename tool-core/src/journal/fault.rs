//! What a journal refuses, or cannot do.

use std::fmt;

use crate::error::{ErrorKind, ToolError};

/// The codes of a journal that is not whole.
const DAMAGED: [&str; 2] = ["journal_corrupt", "journal_truncated"];

/// What can be done about that.
const SALVAGE: &str =
    "nothing is deleted; what can be read of it is copied to a new file by: journal salvage FILE";

/// A failure of the journal itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JournalError {
    /// The row belongs to somebody else by now: the outcome was not stored.
    Fenced,
    /// The row is not in doubt: there is nothing to settle.
    NotInDoubt,
    /// There is no such call.
    UnknownCall(String),
    /// The store cannot be used.
    Store {
        /// The kind of the error that callers get.
        kind: ErrorKind,
        /// Its code.
        code: &'static str,
        /// What is wrong, for operators.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
}

impl JournalError {
    /// The store cannot be reached or written; a repeat may help.
    pub fn unavailable(message: impl Into<String>) -> JournalError {
        JournalError::Store {
            kind: ErrorKind::Unavailable,
            code: "journal_unavailable",
            message: message.into(),
            hint: None,
        }
    }

    /// The store must not be used.
    pub fn store(kind: ErrorKind, code: &'static str, message: impl Into<String>) -> JournalError {
        JournalError::Store { kind, code, message: message.into(), hint: None }
    }

    /// The same with what to do about it, unless that is said already. What is no failure of the store speaks for itself, and
    /// for a damaged one there is but one advice.
    #[must_use]
    pub fn or_hint(mut self, advice: &str) -> JournalError {
        if let JournalError::Store { hint, code, .. } = &mut self
            && !DAMAGED.contains(code)
        {
            hint.get_or_insert_with(|| advice.to_owned());
        }
        self
    }

    /// The finest code.
    pub fn code(&self) -> &'static str {
        match self {
            JournalError::Fenced => "fenced",
            JournalError::NotInDoubt => "not_in_doubt",
            JournalError::UnknownCall(_) => "unknown_call",
            JournalError::Store { code, .. } => code,
        }
    }
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JournalError::Fenced => f.write_str("The call belongs to another process by now."),
            JournalError::NotInDoubt => f.write_str("The call is not in doubt: there is nothing to settle."),
            JournalError::UnknownCall(call) => write!(f, "The journal has no call {call:.80}."),
            JournalError::Store { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for JournalError {}

impl From<JournalError> for ToolError {
    fn from(error: JournalError) -> ToolError {
        let kind = match &error {
            JournalError::Fenced | JournalError::NotInDoubt => ErrorKind::Conflict,
            JournalError::UnknownCall(_) => ErrorKind::NotFound,
            JournalError::Store { kind, .. } => *kind,
        };
        let told = ToolError::new(kind, error.to_string()).code(error.code());
        match error {
            JournalError::Store { hint: Some(hint), .. } => told.hint(hint),
            JournalError::Store { code, .. } if DAMAGED.contains(&code) => told.hint(SALVAGE),
            _ => told,
        }
    }
}
