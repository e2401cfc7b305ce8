//! A call of a tool that is known at compile time.

use serde::Serialize;
use serde_json::{Map, Value};

use super::called::CallResult;
use super::kit::ToolKit;

/// A call by the tool's handle, argument by argument; [`ToolKit::tool`] begins one.
#[derive(Debug)]
#[must_use]
pub struct TypedCall<'k> {
    kit: &'k ToolKit,
    tool: String,
    args: Map<String, Value>,
}

impl<'k> TypedCall<'k> {
    pub(super) fn new(kit: &'k ToolKit, tool: &str) -> TypedCall<'k> {
        TypedCall { kit, tool: tool.to_owned(), args: Map::new() }
    }

    /// Gives a parameter a value. A number that is none, or infinite, is null, as serde_json writes it.
    ///
    /// # Panics
    /// For a value that has no JSON form, such as a map whose keys are lists.
    #[track_caller]
    #[expect(clippy::panic, reason = "a value that no caller could send fails the test")]
    pub fn arg(mut self, name: impl Into<String>, value: impl Serialize) -> Self {
        let name = name.into();
        match serde_json::to_value(value) {
            Ok(value) => self.args.insert(name, value),
            Err(error) => panic!("the argument {name} of {} is no JSON: {error}", self.tool),
        };
        self
    }

    /// Makes the call, as [`ToolKit::call`].
    ///
    /// # Errors
    /// Every failure of a call.
    pub async fn run(self) -> CallResult {
        self.kit.call(&self.tool, Value::Object(self.args)).await
    }

    /// [`run`](Self::run) without a runtime.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_blocking(self) -> CallResult {
        self.kit.call_blocking(&self.tool, Value::Object(self.args))
    }

    /// Makes the call, as [`ToolKit::call_bare`].
    ///
    /// # Errors
    /// As [`ToolKit::call_bare`].
    pub async fn run_bare(self) -> CallResult {
        self.kit.call_bare(&self.tool, Value::Object(self.args)).await
    }

    /// [`run_bare`](Self::run_bare) without a runtime.
    ///
    /// # Errors
    /// As [`ToolKit::call_bare`].
    pub fn run_bare_blocking(self) -> CallResult {
        self.kit.call_bare_blocking(&self.tool, Value::Object(self.args))
    }
}
