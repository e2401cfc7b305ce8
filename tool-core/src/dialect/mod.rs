//! What each model API, and MCP, accepts: descriptors, calls, results.
//!
//! A dialect turns a tool into what one API accepts ([`Dialect::tools`]), turns the model's call back into canonical
//! arguments ([`Dialect::decode`], [`Dialect::assembler`]), and a result into what the API accepts as one
//! ([`Dialect::encode_results`]). It never runs a tool: every call goes through the executor. What it cannot carry is told
//! to the model or makes the tool non-strict, and is reported ([`DialectIssue`]); the decoder enforces every constraint
//! whatever the wire form says.

mod anthropic;
mod args;
mod call;
mod descriptor;
mod gemini;
mod id;
mod issue;
pub mod limits;
pub mod mcp;
mod openai_chat;
mod openai_responses;
mod plan;
mod put;
mod result;
mod said;
mod schema;
mod stream;
mod wire;

use std::sync::Arc;

use serde_json::{Value, json};

pub use call::{Decoded, ModelCall, Stop};
pub use id::DialectId;
pub use issue::{Action, DialectIssue, SchemaIssue};
pub use limits::{Limit, Limits};
pub use plan::{Examples, Overflow, Plan, PlanOptions, Planned, Reason, SEARCH_TOOLS, StrictPolicy, Used};
pub use schema::{Budget, Compiled, compile};
pub(crate) use schema::{are_exclusive, is_portable};
pub use stream::{Assembler, StreamEvent};
pub use wire::Wire;

use crate::error::ToolError;
use crate::output::ToolResult;
use crate::registry::ToolEntry;
use args::Encoding;
use stream::Assembly;

/// What one API accepts. Implemented by [`DialectId`]; a dialect of one's own wraps one of these.
pub trait Dialect: Send + Sync {
    /// Which one it is, or is like.
    fn id(&self) -> DialectId;

    /// The schema of a tool, made once per form.
    ///
    /// # Errors
    /// `internal` for a tool whose schema is none.
    fn compile(&self, tool: &ToolEntry, strict: bool) -> Result<Arc<Compiled>, ToolError>;

    /// Plans the tools of one request.
    ///
    /// # Errors
    /// `failed` for tools that do not fit: `too_many_tools`, `strict_budget`, `strict_impossible`, `dialect_refused`.
    fn plan(&self, tools: &[&ToolEntry], options: &PlanOptions) -> Result<Plan, ToolError>;

    /// The member `tools` of a request body.
    fn tools(&self, plan: &Plan) -> Value;

    /// Canonical arguments as a model that obeys the schema sends them.
    fn encode_args(&self, tool: &Planned, args: &Value) -> Value;

    /// A response body with these calls and this text.
    fn encode_calls(&self, calls: &[ModelCall], text: &str) -> Value;

    /// What a response body holds.
    ///
    /// # Errors
    /// `unavailable`, code `bad_response`, for a body without the expected members.
    fn decode(&self, plan: &Plan, body: &Value, turn: u32) -> Result<Decoded, ToolError>;

    /// Puts a streamed reply together.
    fn assembler(&self, plan: &Plan, turn: u32) -> Box<dyn Assembler>;

    /// What results append to the history.
    fn encode_results(&self, plan: &Plan, results: &[(ModelCall, ToolResult)]) -> Vec<Value>;

    /// What a text of the user appends to the history.
    fn user_message(&self, text: &str) -> Value;

    /// What a reply's own message ([`Decoded::echo`]) appends to the history.
    fn echo_items(&self, echo: Value) -> Vec<Value>;
}

impl Dialect for DialectId {
    fn id(&self) -> DialectId {
        *self
    }

    fn compile(&self, tool: &ToolEntry, strict: bool) -> Result<Arc<Compiled>, ToolError> {
        plan::compiled(tool, self.wire(strict))
    }

    fn plan(&self, tools: &[&ToolEntry], options: &PlanOptions) -> Result<Plan, ToolError> {
        plan::plan(*self, tools, options)
    }

    fn tools(&self, plan: &Plan) -> Value {
        match self {
            DialectId::Anthropic => anthropic::tools(plan),
            DialectId::OpenAiChat => openai_chat::tools(plan),
            DialectId::OpenAiResponses => openai_responses::tools(plan),
            DialectId::Gemini => gemini::tools(plan),
            DialectId::Mcp20251125 | DialectId::Mcp20260728 => mcp::tools(plan),
        }
    }

    fn encode_args(&self, tool: &Planned, args: &Value) -> Value {
        match tool.canonical() {
            Some(canonical) => Encoding::new(canonical, tool.wire(), tool.compiled.wrapped).encode(args),
            None => args.clone(),
        }
    }

    fn encode_calls(&self, calls: &[ModelCall], text: &str) -> Value {
        match self {
            DialectId::Anthropic => anthropic::encode_calls(calls, text),
            DialectId::OpenAiChat => openai_chat::encode_calls(calls, text),
            DialectId::OpenAiResponses => openai_responses::encode_calls(calls, text),
            DialectId::Gemini => gemini::encode_calls(calls, text),
            DialectId::Mcp20251125 | DialectId::Mcp20260728 => mcp::encode_calls(calls),
        }
    }

    fn decode(&self, plan: &Plan, body: &Value, turn: u32) -> Result<Decoded, ToolError> {
        Ok(call::decoded(plan, read(*self)(body)?, turn))
    }

    fn assembler(&self, plan: &Plan, turn: u32) -> Box<dyn Assembler> {
        let read = read(*self);
        match self {
            DialectId::Anthropic => Box::new(Assembly::new(anthropic::Message::default(), plan, read, turn)),
            DialectId::OpenAiChat => {
                Box::new(Assembly::new(openai_chat::Message::default(), plan, read, turn))
            }
            DialectId::OpenAiResponses => {
                Box::new(Assembly::new(openai_responses::Response::default(), plan, read, turn))
            }
            DialectId::Gemini => Box::new(Assembly::new(gemini::Candidate::default(), plan, read, turn)),
            DialectId::Mcp20251125 | DialectId::Mcp20260728 => {
                Box::new(Assembly::new(mcp::Message::default(), plan, read, turn))
            }
        }
    }

    fn encode_results(&self, plan: &Plan, results: &[(ModelCall, ToolResult)]) -> Vec<Value> {
        match self {
            DialectId::Anthropic => anthropic::results(plan, results),
            DialectId::OpenAiChat => openai_chat::results(plan, results),
            DialectId::OpenAiResponses => openai_responses::results(plan, results),
            DialectId::Gemini => gemini::results(plan, results),
            DialectId::Mcp20251125 | DialectId::Mcp20260728 => mcp::results(plan, results),
        }
    }

    fn user_message(&self, text: &str) -> Value {
        match self {
            DialectId::Gemini => json!({"role": "user", "parts": [{"text": text}]}),
            _ => json!({"role": "user", "content": text}),
        }
    }

    fn echo_items(&self, echo: Value) -> Vec<Value> {
        match echo {
            Value::Null => Vec::new(),
            // The Responses API answers with several items.
            Value::Array(items) => items,
            message => vec![message],
        }
    }
}

/// How the bodies of a dialect are read.
fn read(dialect: DialectId) -> stream::Read {
    match dialect {
        DialectId::Anthropic => anthropic::read,
        DialectId::OpenAiChat => openai_chat::read,
        DialectId::OpenAiResponses => openai_responses::read,
        DialectId::Gemini => gemini::read,
        DialectId::Mcp20251125 | DialectId::Mcp20260728 => mcp::read,
    }
}
