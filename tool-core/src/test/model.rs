//! A model that calls one tool: its reply as the API sends it, the call that is found in it, the result as the API takes it.

use serde_json::Value;

use super::blocking::block_on;
use super::called::CallResult;
use super::kit::ToolKit;
use crate::call::{Call, Caller};
use crate::dialect::{Dialect as _, DialectId, ModelCall, Plan, PlanOptions, StrictPolicy};
use crate::error::ToolError;

/// Calls tools in one dialect; [`ToolKit::dialect`] makes it.
///
/// ```
/// use tool_core::dialect::DialectId;
/// use tool_core::prelude::*;
/// use tool_core::test::ToolKit;
/// use tool_core::Registry;
///
/// /// Doubles a number.
/// #[tool(register = false)]
/// fn double(/** The number. */ n: u32) -> u32 {
///     n * 2
/// }
///
/// let kit = ToolKit::of(Registry::builder().add::<DoubleTool>().build()?).build();
/// let told = kit.dialect(DialectId::OpenAiChat).strict().call_blocking("double", r#"{"n": 4}"#);
/// assert_eq!(told.result.unwrap().data(), 8);
/// assert_eq!(told.wire[0]["content"], "8");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct DialectKit<'k> {
    kit: &'k ToolKit,
    dialect: DialectId,
    strict: StrictPolicy,
}

/// What became of a model's call.
#[derive(Debug)]
pub struct ModelCalled {
    /// How the call ended.
    pub result: CallResult,
    /// What is appended to the history: the result as the model reads it.
    pub wire: Vec<Value>,
}

impl<'k> DialectKit<'k> {
    pub(super) fn new(kit: &'k ToolKit, dialect: DialectId) -> DialectKit<'k> {
        DialectKit { kit, dialect, strict: StrictPolicy::Never }
    }

    /// Sends tools strict, where they can be.
    pub fn strict(mut self) -> Self {
        self.strict = StrictPolicy::Prefer;
        self
    }

    /// Calls a tool with the text of its arguments, as a model writes it. Text that is no JSON is sent as it is.
    ///
    /// # Panics
    /// Where the dialect cannot carry the tool.
    pub async fn call(&self, tool: &str, args: &str) -> ModelCalled {
        let args = serde_json::from_str(args).unwrap_or_else(|_| Value::String(args.to_owned()));
        self.sent(tool, args).await
    }

    /// [`call`](Self::call) without a runtime.
    ///
    /// # Panics
    /// As [`call`](Self::call).
    pub fn call_blocking(&self, tool: &str, args: &str) -> ModelCalled {
        block_on(self.call(tool, args))
    }

    /// Calls a tool with canonical arguments, sent in the form that the tool's schema has in the dialect.
    ///
    /// # Panics
    /// As [`call`](Self::call).
    pub async fn call_encoded(&self, tool: &str, args: &Value) -> ModelCalled {
        let encoded = self.plan(tool).and_then(|plan| Some(self.dialect.encode_args(plan.tool(tool)?, args)));
        self.sent(tool, encoded.unwrap_or_else(|| args.clone())).await
    }

    /// [`call_encoded`](Self::call_encoded) without a runtime.
    ///
    /// # Panics
    /// As [`call`](Self::call).
    pub fn call_encoded_blocking(&self, tool: &str, args: &Value) -> ModelCalled {
        block_on(self.call_encoded(tool, args))
    }

    /// What one request offers: the tool, if there is one of that name.
    #[expect(clippy::panic, reason = "a tool that a dialect cannot carry fails the test")]
    fn plan(&self, tool: &str) -> Option<Plan> {
        let entry = self.kit.registry().get(tool)?;
        let options = PlanOptions { strict: Some(self.strict), ..PlanOptions::default() };
        let plan = self.dialect.plan(&[entry], &options);
        Some(plan.unwrap_or_else(|error| panic!("{} does not carry {tool}: {error}", self.dialect)))
    }

    async fn sent(&self, tool: &str, args: Value) -> ModelCalled {
        let plan = self.plan(tool).or_else(|| {
            let offered = self.kit.registry().iter().next()?;
            self.plan(offered.name())
        });
        let id = self.kit.next_id();
        let asked = ModelCall { id: id.clone(), wire_id: None, name: tool.to_owned(), args: Ok(args) };
        let body = self.dialect.encode_calls(&[asked], "");
        let found = plan.as_ref().map(|plan| self.dialect.decode(plan, &body, 0));
        let found = match found {
            Some(Ok(decoded)) => decoded.calls.into_iter().next(),
            _ => None,
        };
        let found = found.unwrap_or_else(|| ModelCall {
            id: id.clone(),
            wire_id: None,
            name: tool.to_owned(),
            args: Err(ToolError::internal(format!("{}: the call is not found in {body}", self.dialect))),
        });
        // Where a dialect has no ids, the reply numbers its calls, and each reply anew.
        let name = found.name.clone();
        let (args, refused) = match found.args {
            Ok(args) => (args, None),
            Err(error) => (Value::Null, Some(error)),
        };
        let seen = self.kit.seen(Call { call_id: Some(id), ..Call::new(name, args) });
        let result = match refused {
            Some(error) => Err(error),
            None => self.kit.executor().call(seen.call.clone(), &seen.ctx, Caller::Llm).await,
        };
        let pairs = [(ModelCall { args: Ok(Value::Null), ..found }, result)];
        let wire = plan.map(|plan| self.dialect.encode_results(&plan, &pairs)).unwrap_or_default();
        let [(_, result)] = pairs;
        ModelCalled { result: self.kit.called(self.kit.executor(), seen, result), wire }
    }
}
