//! Models: what answers a request in the shape of its provider.

#[cfg(feature = "http")]
pub mod http;
mod scripted;

use serde_json::Value;
use tool_core::dialect::{DialectId, Plan};
use tool_core::{BoxFuture, ToolContext, ToolError};

pub use scripted::{ScriptedModel, Step};

/// What a model is asked.
#[derive(Clone, Copy, Debug)]
pub struct ModelRequest<'a> {
    /// The tools.
    pub plan: &'a Plan,
    /// What it is told before everything else.
    pub system: Option<&'a str>,
    /// The history, in the provider's shape.
    pub messages: &'a [Value],
    /// Which turn of the run it is, from 0.
    pub turn: u32,
}

/// Something that answers.
pub trait Model: Send + Sync {
    /// The dialect it speaks.
    fn dialect(&self) -> DialectId;

    /// The body of the response; of a streamed one, the body that it adds up to.
    fn respond<'a>(
        &'a self,
        request: &'a ModelRequest<'a>,
        cx: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Value, ToolError>>;
}
