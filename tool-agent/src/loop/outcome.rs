//! What a run came to.

use serde_json::Value;
use tool_core::dialect::{ModelCall, Stop};
use tool_core::{Finished, ToolError, ToolResult};

/// How a run ended.
#[derive(Debug)]
pub enum Outcome {
    /// A terminal tool succeeded.
    Finished(Finished),
    /// The model answered without a call.
    Text(String),
    /// The model or its provider refused, with this text.
    Refused(String),
    /// A limit was met: `turns`, `calls`, `repeats` or `output`.
    Limit(&'static str),
    /// The model could not be reached, or the caller went away.
    Failed(ToolError),
}

/// A run: how it ended, and everything before that.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// Its turns, in order.
    pub turns: Vec<Turn>,
}

/// A reply of the model, and what became of its calls.
#[derive(Debug)]
pub struct Turn {
    /// The visible text.
    pub text: String,
    /// Why the reply ended.
    pub stop: Stop,
    /// The calls, in order.
    pub calls: Vec<TurnCall>,
}

/// A call and its result.
#[derive(Debug)]
pub struct TurnCall {
    /// Tells it apart within the run.
    pub id: String,
    /// The tool, as the model called it.
    pub tool: String,
    /// The arguments; null where they could not be read.
    pub args: Value,
    /// The result.
    pub result: ToolResult,
}

impl From<(ModelCall, ToolResult)> for TurnCall {
    fn from((call, result): (ModelCall, ToolResult)) -> Self {
        TurnCall { id: call.id, tool: call.name, args: call.args.unwrap_or_default(), result }
    }
}
