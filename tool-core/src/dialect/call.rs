//! A model's calls: what was found in a reply, with ids that tell it apart and arguments in canonical form.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::args::Encoding;
use super::plan::Plan;
use crate::args::{MAX_ARGS_BYTES, measure, not_an_object, parse_arguments, parse_within};
use crate::error::ToolError;

/// One call of a model.
#[derive(Debug)]
pub struct ModelCall {
    /// Tells it apart within the run: the provider's, or `call_<turn>_<index>`.
    pub id: String,
    /// The provider's, verbatim.
    pub wire_id: Option<String>,
    /// The tool, as sent.
    pub name: String,
    /// Canonical arguments, for the argument decoder; or why there are none.
    pub args: Result<Value, ToolError>,
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// For the results of its calls.
    Tools,
    /// It is done.
    End,
    /// At the output limit.
    Length,
    /// The provider or model would not go on.
    Refused,
    /// To be continued.
    Paused,
    /// The provider could not read the call that the model wrote.
    Malformed,
}

impl Stop {
    /// The word of the reason.
    pub fn as_str(self) -> &'static str {
        match self {
            Stop::Tools => "tools",
            Stop::End => "end",
            Stop::Length => "length",
            Stop::Refused => "refused",
            Stop::Paused => "paused",
            Stop::Malformed => "malformed",
        }
    }
}

/// A reply.
#[derive(Debug)]
pub struct Decoded {
    /// Its calls, in order.
    pub calls: Vec<ModelCall>,
    /// Its visible text.
    pub text: String,
    /// Why it ended.
    pub stop: Stop,
    /// The provider's own message, to be appended to the history.
    pub echo: Value,
}

/// A reply as a provider's file finds it.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) calls: Vec<Found>,
    pub(super) text: String,
    pub(super) stop: Stop,
    pub(super) echo: Value,
}

/// A call as it was found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) wire_id: Option<String>,
    pub(super) name: String,
    /// Null where there are none.
    pub(super) args: Value,
}

/// Gives calls their ids and reads their arguments, one after the other.
#[derive(Debug)]
pub(super) struct Calls {
    turn: u32,
    seen: HashSet<String>,
    count: usize,
    /// No place before it has a free id, once the own place of a call had none.
    free: usize,
}

impl Calls {
    pub(super) fn new(turn: u32) -> Calls {
        Calls { turn, seen: HashSet::new(), count: 0, free: 0 }
    }

    /// How many were read.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The next one; `cut` where the reply ended in it.
    pub(super) fn next(&mut self, plan: &Plan, found: Found, cut: bool) -> ModelCall {
        let Found { wire_id, name, args } = found;
        let own = wire_id.clone().filter(|id| !id.is_empty() && !self.seen.contains(id));
        let id = own.unwrap_or_else(|| self.free());
        self.seen.insert(id.clone());
        self.count += 1;
        let args = arguments(args).map_err(|error| if cut { cut_off(error) } else { error });
        let args = args.and_then(|args| canonical(plan, &name, args));
        ModelCall { id, wire_id, name, args }
    }

    /// An id of our own: by the place of the call, if no provider has used it.
    fn free(&mut self) -> String {
        let of = |place: usize| format!("call_{}_{place}", self.turn);
        let own = of(self.count);
        if !self.seen.contains(&own) {
            return own;
        }
        let mut places = self.free.max(self.count + 1)..;
        let place = places.find(|place| !self.seen.contains(&of(*place))).unwrap_or(usize::MAX);
        self.free = place;
        of(place)
    }
}

/// A reply whose calls have ids and arguments.
pub(super) fn decoded(plan: &Plan, reply: Reply, turn: u32) -> Decoded {
    let Reply { calls, text, stop, echo } = reply;
    let (mut reader, last) = (Calls::new(turn), calls.len());
    let read = calls.into_iter().enumerate();
    let calls: Vec<ModelCall> =
        read.map(|(i, found)| reader.next(plan, found, stop == Stop::Length && i + 1 == last)).collect();
    let stop = if stop == Stop::End && !calls.is_empty() { Stop::Tools } else { stop };
    Decoded { calls, text, stop, echo }
}

/// The arguments of one call, as they came.
pub(super) fn args_of(plan: &Plan, tool: &str, args: Value) -> Result<Value, ToolError> {
    canonical(plan, tool, arguments(args)?)
}

/// What was sent, as canonical arguments.
fn canonical(plan: &Plan, tool: &str, args: Value) -> Result<Value, ToolError> {
    let Some(tool) = plan.tool(tool) else { return Ok(args) };
    match tool.canonical() {
        Some(canonical) => Encoding::new(canonical, tool.wire(), tool.compiled.wrapped).decode(args),
        None => Ok(args),
    }
}

/// The object that was sent: an object, text that holds one, or nothing.
fn arguments(args: Value) -> Result<Value, ToolError> {
    match args {
        Value::Null => Ok(Value::Object(Map::new())),
        Value::Object(_) => measure(&args, MAX_ARGS_BYTES).map(|()| args),
        Value::String(text) => match parse_arguments(&text, MAX_ARGS_BYTES)? {
            Value::String(inner) => match parse_within(&inner, MAX_ARGS_BYTES)? {
                object @ Value::Object(_) => Ok(object),
                _ => Err(not_an_object(&Value::String(inner))),
            },
            Value::Null => Ok(Value::Object(Map::new())),
            object @ Value::Object(_) => Ok(object),
            other => Err(not_an_object(&other)),
        },
        other => Err(not_an_object(&other)),
    }
}

/// What is malformed because the reply ended in the middle of it.
fn cut_off(error: ToolError) -> ToolError {
    if error.code_str() != "malformed_json" {
        return error;
    }
    ToolError::invalid_args("The call was cut off by the output limit.")
        .code("cut_off")
        .hint("Send a shorter call.")
        .issues(error.arg_issues().to_vec())
}

/// The error for a body that is no reply of the API.
pub(super) fn bad_response(body: &Value, expected: &str) -> ToolError {
    const SHOWN_BYTES: usize = 200;
    let mut shown = body.to_string();
    shown.truncate(shown.floor_char_boundary(SHOWN_BYTES));
    ToolError::unavailable(format!("The model's answer has no {expected}."))
        .code("bad_response")
        .detail("body", shown)
}
