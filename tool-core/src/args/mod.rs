//! From what a caller sent to typed values. One decoder serves every surface.

mod issue;

pub use issue::{ArgIssue, IssueCode};

use crate::error::ToolError;

/// The arguments of one call while they are taken.
#[derive(Debug)]
pub struct Args<'a> {
    tool: std::marker::PhantomData<&'a ()>,
}

impl Args<'_> {
    /// Decodes parameter `i`; absence of an option, flag or list is a value. Records issues and goes on.
    pub fn take<T: crate::__private::ToolArg>(&mut self, i: usize) -> Option<T> {
        let _ = i;
        None
    }

    /// Decodes parameter `i`, or makes its default when it was left out or null.
    pub fn take_or<T: crate::__private::ToolArg>(&mut self, i: usize, default: fn() -> T) -> Option<T> {
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
