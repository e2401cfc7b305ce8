//! A model that answers what a test wrote, in the shape of a provider, so that decoding is exercised.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tool_core::dialect::{Dialect as _, DialectId, ModelCall};
use tool_core::{BoxFuture, ErrorKind, ToolContext, ToolError};

use super::{Model, ModelRequest};

type Expectation = Box<dyn Fn(&ModelRequest<'_>) -> bool + Send + Sync>;

/// One answer, or something that must hold of the next request.
pub struct Step(Kind);

enum Kind {
    Calls(Vec<(String, Value)>),
    Text(String),
    Raw(Value),
    Error(ErrorKind),
    Expect(Expectation),
}

impl Step {
    /// A call with canonical arguments.
    pub fn call(tool: impl Into<String>, args: Value) -> Step {
        Step(Kind::Calls(vec![(tool.into(), args)]))
    }

    /// Several calls in one turn.
    pub fn calls<T: Into<String>>(calls: impl IntoIterator<Item = (T, Value)>) -> Step {
        Step(Kind::Calls(calls.into_iter().map(|(tool, args)| (tool.into(), args)).collect()))
    }

    /// Text, without a call.
    pub fn text(text: impl Into<String>) -> Step {
        Step(Kind::Text(text.into()))
    }

    /// A response body as it is.
    pub fn raw(body: Value) -> Step {
        Step(Kind::Raw(body))
    }

    /// The provider fails.
    pub fn error(kind: ErrorKind) -> Step {
        Step(Kind::Error(kind))
    }

    /// The next request must satisfy this; the step after it answers.
    pub fn expect(holds: impl Fn(&ModelRequest<'_>) -> bool + Send + Sync + 'static) -> Step {
        Step(Kind::Expect(Box::new(holds)))
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Calls(calls) => f.debug_tuple("Calls").field(calls).finish(),
            Kind::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Kind::Raw(body) => f.debug_tuple("Raw").field(body).finish(),
            Kind::Error(kind) => f.debug_tuple("Error").field(kind).finish(),
            Kind::Expect(_) => f.write_str("Expect"),
        }
    }
}

/// A model for tests: it answers step by step.
///
/// # Panics
/// Running out of steps, and a request that does not satisfy an expectation, fail the test with the turn and the last
/// message of the request. So do steps that are left when it is dropped, unless somebody has looked at them
/// ([`forgive`](Self::forgive)).
#[derive(Debug)]
pub struct ScriptedModel {
    dialect: DialectId,
    steps: Mutex<VecDeque<Step>>,
}

impl ScriptedModel {
    /// A model that speaks a dialect and answers these.
    pub fn new(dialect: DialectId, steps: impl IntoIterator<Item = Step>) -> Self {
        Self { dialect, steps: Mutex::new(steps.into_iter().collect()) }
    }

    /// Forgets the steps that are left: as many.
    pub fn forgive(&self) -> usize {
        std::mem::take(&mut *self.held()).len()
    }

    fn held(&self) -> MutexGuard<'_, VecDeque<Step>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<Step> {
        self.held().pop_front()
    }

    #[allow(clippy::panic, reason = "a script that does not fit fails its test")]
    fn answer(&self, request: &ModelRequest<'_>) -> Result<Value, ToolError> {
        let last = || request.messages.last().map_or(String::new(), Value::to_string);
        loop {
            let Some(Step(step)) = self.next() else {
                panic!("turn {}: the script has no step left; last message: {}", request.turn, last());
            };
            match step {
                Kind::Expect(holds) => {
                    assert!(
                        holds(request),
                        "turn {}: the request is not what was expected; last message: {}",
                        request.turn,
                        last()
                    );
                }
                Kind::Calls(calls) => return Ok(self.body(request, calls)),
                Kind::Text(text) => return Ok(self.dialect.encode_calls(&[], &text)),
                Kind::Raw(body) => return Ok(body),
                Kind::Error(kind) => return Err(ToolError::new(kind, "The scripted model fails.")),
            }
        }
    }

    fn body(&self, request: &ModelRequest<'_>, calls: Vec<(String, Value)>) -> Value {
        let encoded = calls.into_iter().enumerate().map(|(i, (name, args))| {
            let args = match request.plan.tool(&name) {
                Some(tool) => self.dialect.encode_args(tool, &args),
                None => args,
            };
            ModelCall { id: format!("scripted_{}_{i}", request.turn), wire_id: None, name, args: Ok(args) }
        });
        self.dialect.encode_calls(&encoded.collect::<Vec<_>>(), "")
    }
}

impl Drop for ScriptedModel {
    #[expect(clippy::panic, reason = "a test must fail that asks for less than it has written down")]
    fn drop(&mut self) {
        let left = std::mem::take(&mut *self.held());
        if !left.is_empty() && !std::thread::panicking() {
            let left: Vec<String> = left.iter().map(|step| format!("nobody asked for {step:?}")).collect();
            panic!("the model was not asked as scripted:\n{}", left.join("\n"));
        }
    }
}

impl Model for ScriptedModel {
    fn dialect(&self) -> DialectId {
        self.dialect
    }

    fn respond<'a>(
        &'a self,
        request: &'a ModelRequest<'a>,
        _: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(async move { self.answer(request) })
    }
}
