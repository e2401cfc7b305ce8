//! Replies in pieces: each provider adds its events up to the body that the same reply has when it is sent whole.

use serde_json::Value;

use super::call::{Decoded, ModelCall, Reply, Stop, decoded};
use super::plan::Plan;
use crate::args::{MAX_ARGS_BYTES, parse_object};
use crate::error::ToolError;

/// What a piece of a reply brought.
#[derive(Debug)]
pub enum StreamEvent {
    /// Visible text.
    Text(String),
    /// A call began; the name may still grow.
    CallStarted {
        /// The provider's id.
        id: String,
        /// The tool.
        name: String,
    },
    /// Arguments of a call came.
    CallDelta {
        /// The provider's id.
        id: String,
        /// How many bytes.
        bytes: usize,
    },
    /// A call is complete and can be read: the reply will have it just so. One that cannot be read is only in the reply.
    CallReady(ModelCall),
}

/// Puts a reply together that comes in pieces.
pub trait Assembler: Send {
    /// Takes one event, as decoded from the data of a server-sent event.
    fn feed(&mut self, event: &Value) -> Vec<StreamEvent>;

    /// The body that the same reply has when it is sent whole, as far as it came.
    fn body(&self) -> Value;

    /// The reply; one that ended before its final event was cut.
    ///
    /// # Errors
    /// As [`super::Dialect::decode`].
    fn finish(self: Box<Self>) -> Result<Decoded, ToolError>;
}

/// The events of one provider.
pub(super) trait Assemble: Send {
    /// Takes one event.
    fn take(&mut self, event: &Value, out: &mut Vec<StreamEvent>);

    /// The body so far.
    fn body(&self) -> Value;

    /// How many calls, from the first on, will not change any more, whatever comes.
    fn complete(&self) -> usize;
}

/// Reads a body.
pub(super) type Read = fn(&Value) -> Result<Reply, ToolError>;

/// The assembler over the events of one provider.
pub(super) struct Assembly<A> {
    events: A,
    plan: Plan,
    read: Read,
    turn: u32,
    /// How many calls were complete when it was last looked, and were told.
    told: usize,
}

impl<A: Assemble> Assembly<A> {
    pub(super) fn new(events: A, plan: &Plan, read: Read, turn: u32) -> Self {
        Self { events, plan: plan.clone(), read, turn, told: 0 }
    }
}

impl<A: Assemble> Assembler for Assembly<A> {
    fn feed(&mut self, event: &Value) -> Vec<StreamEvent> {
        let mut out = Vec::new();
        self.events.take(event, &mut out);
        let complete = self.events.complete();
        if complete > self.told
            && let Ok(reply) = (self.read)(&self.events.body())
        {
            let calls = decoded(&self.plan, Reply { stop: Stop::Tools, ..reply }, self.turn).calls;
            let new = calls.into_iter().take(complete).skip(self.told);
            out.extend(new.filter(|call| call.args.is_ok()).map(StreamEvent::CallReady));
            self.told = complete;
        }
        out
    }

    fn body(&self) -> Value {
        self.events.body()
    }

    fn finish(self: Box<Self>) -> Result<Decoded, ToolError> {
        Ok(decoded(&self.plan, (self.read)(&self.events.body())?, self.turn))
    }
}

/// The pieces of one call's arguments.
#[derive(Debug, Default)]
pub(super) struct Fragments {
    text: String,
    any: bool,
}

impl Fragments {
    /// Adds a piece. What is beyond the limit is not collected: that it is too much is known then.
    pub(super) fn push(&mut self, piece: &str) {
        self.any |= !piece.is_empty();
        if self.text.len() <= MAX_ARGS_BYTES {
            self.text.push_str(piece);
        }
    }

    /// Replaces what was collected by the whole, which a provider sends at the end.
    pub(super) fn replace(&mut self, whole: &str) {
        self.text.clear();
        self.push(whole);
    }

    /// The text so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The object that the pieces add up to, or their text where they do not; `None` where none came.
    pub(super) fn value(&self) -> Option<Value> {
        let value = || {
            parse_object(&self.text, MAX_ARGS_BYTES)
                .map_or_else(|_| Value::from(self.text.clone()), Value::Object)
        };
        self.any.then(value)
    }
}
