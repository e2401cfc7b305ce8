//! From what a caller sent to typed values. One decoder serves every surface.

mod issue;
mod parse;
pub(crate) mod pointer;
mod suggest;
mod texts;

pub use issue::{ArgIssue, IssueCode, MAX_ISSUES};
pub use parse::{MAX_ARGS_BYTES, MAX_DEPTH, measure, measure_within, parse, parse_arguments, parse_within};
pub use suggest::{did_you_mean, suggest};
pub use texts::{expected, expected_range, got, got_hidden, number_text};

use crate::error::ToolError;

/// The arguments of one call while they are taken.
#[derive(Debug)]
pub struct Args {}

impl Args {
    /// Decodes parameter `i`; absence of an option, flag or list is a value. Records issues and goes on.
    pub fn take<T: serde::de::DeserializeOwned>(&mut self, i: usize) -> Option<T> {
        let _ = i;
        None
    }

    /// Decodes parameter `i`, or makes its default when it was left out or null.
    pub fn take_or<T: serde::de::DeserializeOwned>(&mut self, i: usize, default: fn() -> T) -> Option<T> {
        let _ = (i, default);
        None
    }

    /// Every issue of the call at once.
    pub fn finish(&mut self) -> Result<(), ToolError> {
        Ok(())
    }

    /// What a tool answers when `finish` found nothing and a value is absent all the same.
    pub fn incomplete(&self) -> ToolError {
        ToolError::internal("The arguments were not decoded.")
    }
}
