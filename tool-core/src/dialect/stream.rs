//! Replies in pieces: each provider adds its events up to the body that the same reply has when it is sent whole.

use serde_json::Value;

use super::call::{Calls, Decoded, Found, ModelCall, Reply, decoded};
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
    /// A call is complete and can be read: the reply will have it just so. One that cannot be read is only in the reply, and so
    /// is one of which the server does not tell whether it is complete.
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

    /// The call of a place among the calls, if it and those before it are closed: their provider says so, or nothing can follow.
    /// What is closed does not change, whatever comes: it may run already.
    fn call(&self, place: usize) -> Option<Found>;
}

/// Reads a body.
pub(super) type Read = fn(&Value) -> Result<Reply, ToolError>;

/// The assembler over the events of one provider.
pub(super) struct Assembly<A> {
    events: A,
    plan: Plan,
    read: Read,
    turn: u32,
    /// The calls that were closed so far.
    calls: Calls,
}

impl<A: Assemble> Assembly<A> {
    pub(super) fn new(events: A, plan: &Plan, read: Read, turn: u32) -> Self {
        Self { events, plan: plan.clone(), read, turn, calls: Calls::new(turn) }
    }
}

impl<A: Assemble> Assembler for Assembly<A> {
    fn feed(&mut self, event: &Value) -> Vec<StreamEvent> {
        let mut out = Vec::new();
        self.events.take(event, &mut out);
        while let Some(found) = self.events.call(self.calls.count()) {
            let call = self.calls.next(&self.plan, found, false);
            if call.args.is_ok() {
                out.push(StreamEvent::CallReady(call));
            }
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
    scan: Scan,
}

impl Fragments {
    /// Adds a piece. What is beyond the limit is not collected: that it is too much is known then.
    pub(super) fn push(&mut self, piece: &str) {
        self.any |= !piece.is_empty();
        if self.text.len() <= MAX_ARGS_BYTES {
            self.text.push_str(piece);
            piece.bytes().for_each(|byte| self.scan.take(byte));
        }
    }

    /// Replaces what was collected by the whole, which a provider sends at the end.
    pub(super) fn replace(&mut self, whole: &str) {
        *self = Fragments::default();
        self.push(whole);
    }

    /// The text so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether nothing can follow: the first bracket is closed, or it is too much already.
    pub(super) fn is_whole(&self) -> bool {
        self.scan.whole || self.text.len() > MAX_ARGS_BYTES
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

/// How far a text of JSON has come, byte by byte: each piece is looked at once.
#[derive(Debug, Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    whole: bool,
}

impl Scan {
    fn take(&mut self, byte: u8) {
        if self.in_string {
            self.in_string = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
            return;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.whole = match byte {
            b'}' | b']' => self.depth == 0 && !self.whole,
            byte => self.whole && byte.is_ascii_whitespace(),
        };
    }
}
