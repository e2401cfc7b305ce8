//! A library under trial: the tools as a model sees them, and a call.

use serde_json::Value;

/// What a call came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The tool ran; the arguments that its function received.
    Ran(Value),
    /// It did not; the error as a model reads it.
    Refused(String),
}

/// A library with the tools of [`crate::arguments`], each of which answers with the arguments that it received.
pub trait Subject {
    /// Its name in the table.
    fn name(&self) -> &str;

    /// The schema of a tool's arguments as a model gets it.
    fn schema(&self, tool: &str) -> Value;

    /// Calls a tool with arguments as a model wrote them.
    fn call(&mut self, tool: &str, text: &str) -> Answer;
}
