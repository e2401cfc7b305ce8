//! The Messages API of Anthropic.
//! <https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview>

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::call::{Found, ModelCall, Reply, Stop, bad_response};
use super::descriptor::{description, examples, schema};
use super::limits;
use super::plan::{Examples, Plan, Planned};
use super::put::put;
use super::result::{NO_OUTPUT, blocks};
use super::stream::{Assemble, Fragments, StreamEvent};
use crate::error::ToolError;
use crate::output::{Content, ResourceBody, ToolResult};

const PDF: &str = "application/pdf";

/// The member `tools` of a request.
pub(super) fn tools(plan: &Plan) -> Value {
    plan.tools.iter().map(|tool| descriptor(plan, tool)).collect()
}

fn descriptor(plan: &Plan, tool: &Planned) -> Value {
    let mut descriptor = json!({
        "name": tool.name(),
        "description": description(plan, tool),
        "input_schema": schema(tool),
    });
    if tool.strict() {
        put(&mut descriptor, "strict", true);
    }
    let examples = if plan.examples == Examples::Native { examples(tool) } else { Vec::new() };
    if !examples.is_empty() {
        put(&mut descriptor, "input_examples", examples);
    }
    if tool.deferred {
        put(&mut descriptor, "defer_loading", true);
    }
    descriptor
}

/// A reply with these calls.
pub(super) fn encode_calls(calls: &[ModelCall], text: &str) -> Value {
    let said = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
    let called = calls.iter().map(|call| {
        let input = call.args.as_ref().map_or_else(|_| json!({}), Value::clone);
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
    });
    let content: Vec<Value> = said.into_iter().chain(called).collect();
    let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
    json!({"type": "message", "role": "assistant", "content": content, "stop_reason": reason})
}

/// What a reply holds.
pub(super) fn read(body: &Value) -> Result<Reply, ToolError> {
    let content =
        body.get("content").and_then(Value::as_array).ok_or_else(|| bad_response(body, "content"))?;
    let of = |kind: &str| {
        let kind = kind.to_owned();
        content.iter().filter(move |block| block.get("type").and_then(Value::as_str) == Some(&kind))
    };
    let text = of("text").filter_map(|block| block.get("text")?.as_str()).collect();
    let calls = of("tool_use").map(found);
    let stop = match body.get("stop_reason").and_then(Value::as_str) {
        Some("tool_use") => Stop::Tools,
        Some("max_tokens" | "model_context_window_exceeded") => Stop::Length,
        Some("refusal") => Stop::Refused,
        Some("pause_turn") => Stop::Paused,
        _ => Stop::End,
    };
    let echo: Vec<Value> = content.iter().filter_map(echoed).collect();
    let echo = if echo.is_empty() { Value::Null } else { json!({"role": "assistant", "content": echo}) };
    Ok(Reply { calls: calls.collect(), text, stop, echo })
}

fn found(block: &Value) -> Found {
    Found {
        wire_id: block.get("id").and_then(Value::as_str).map(str::to_owned),
        name: block.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
        args: block.get("input").cloned().unwrap_or_default(),
    }
}

/// A block as the API takes it back: an input that is no object would be refused, and so would an empty text, which the
/// API itself may send.
fn echoed(block: &Value) -> Option<Value> {
    if block.get("type").is_some_and(|kind| kind == "text")
        && block.get("text").is_some_and(|text| text == "")
    {
        return None;
    }
    let mut block = block.clone();
    if block.get("type").and_then(Value::as_str) == Some("tool_use")
        && let Some(input) = block.get_mut("input").filter(|input| !input.is_object())
    {
        *input = match input.take() {
            Value::String(text) => json!({"malformed": text}),
            Value::Null => json!({}),
            other => json!({"malformed": other.to_string()}),
        };
    }
    Some(block)
}

/// What is appended to the history: one message with every result.
pub(super) fn results(plan: &Plan, results: &[(ModelCall, ToolResult)]) -> Vec<Value> {
    let result = |(call, result): &(ModelCall, ToolResult)| {
        let blocks = blocks(&call.name, result, shows, &plan.limits);
        // An empty text would be refused.
        let mut content: Vec<Value> = blocks.iter().filter(|block| !is_empty(block)).map(block).collect();
        if content.is_empty() {
            content.push(json!({"type": "text", "text": NO_OUTPUT}));
        }
        let id = call.wire_id.as_ref().unwrap_or(&call.id);
        let mut item = json!({"type": "tool_result", "tool_use_id": id, "content": content});
        if result.is_err() {
            put(&mut item, "is_error", true);
        }
        item
    };
    vec![json!({"role": "user", "content": results.iter().map(result).collect::<Vec<_>>()})]
}

fn is_empty(block: &Content) -> bool {
    matches!(block, Content::Text { text } if text.is_empty())
}

/// The media that this API takes.
fn shows(block: &Content) -> bool {
    match block {
        Content::Image { mime_type, .. } => {
            limits::ANTHROPIC_IMAGE_TYPES.types().contains(&mime_type.as_str())
        }
        Content::Resource { mime_type, body: ResourceBody::Blob(_), .. } => mime_type.as_deref() == Some(PDF),
        _ => false,
    }
}

fn block(block: &Content) -> Value {
    let base64 = |mime: &str, data: &str| json!({"type": "base64", "media_type": mime, "data": data});
    match block {
        Content::Image { mime_type, data } => json!({"type": "image", "source": base64(mime_type, data)}),
        Content::Resource { body: ResourceBody::Blob(data), .. } => {
            json!({"type": "document", "source": base64(PDF, data)})
        }
        Content::Text { text } => json!({"type": "text", "text": text}),
        other => json!({"type": "text", "text": json!(other).to_string()}),
    }
}

// ---- stream -------------------------------------------------------------------------------------------------------------

/// A block of a message that comes in pieces.
#[derive(Debug, Default)]
struct Piece {
    block: Map<String, Value>,
    input: Fragments,
    done: bool,
}

impl Piece {
    fn text(&self, key: &str) -> &str {
        self.block.get(key).and_then(Value::as_str).unwrap_or("")
    }

    fn is_call(&self) -> bool {
        self.text("type") == "tool_use"
    }

    fn value(&self) -> Value {
        let mut block = self.block.clone();
        block.extend(self.input.value().map(|input| ("input".to_owned(), input)));
        Value::Object(block)
    }

    /// Adds what a delta brings. Text, thinking and signatures grow; what is no text is taken as it is.
    fn grow(&mut self, key: &str, value: &Value, out: &mut Vec<StreamEvent>) {
        match (key, value) {
            ("type", _) => {}
            ("partial_json", Value::String(piece)) => {
                self.input.push(piece);
                out.push(StreamEvent::CallDelta { id: self.text("id").to_owned(), bytes: piece.len() });
            }
            (key, Value::String(piece)) => {
                if key == "text" {
                    out.push(StreamEvent::Text(piece.clone()));
                }
                match self.block.get_mut(key) {
                    Some(Value::String(text)) => text.push_str(piece),
                    _ => drop(self.block.insert(key.to_owned(), piece.as_str().into())),
                }
            }
            ("citation", value) => {
                if let Value::Array(list) = self.block.entry("citations").or_insert_with(|| json!([])) {
                    list.push(value.clone());
                }
            }
            (key, value) => {
                self.block.insert(key.to_owned(), value.clone());
            }
        }
    }
}

/// The message that a stream adds up to.
#[derive(Debug, Default)]
pub(super) struct Message {
    pieces: Vec<Piece>,
    /// Which of the pieces are calls.
    calls: Vec<usize>,
    /// The last piece of each index.
    last: HashMap<u64, usize>,
    stop: Option<Value>,
    done: bool,
}

impl Assemble for Message {
    fn take(&mut self, event: &Value, out: &mut Vec<StreamEvent>) {
        let index = event.get("index").and_then(Value::as_u64).unwrap_or(0);
        let at = self.last.get(&index).copied();
        let open = at.and_then(|at| self.pieces.get_mut(at)).filter(|piece| !piece.done);
        match (event.get("type").and_then(Value::as_str), open) {
            (Some("content_block_start"), _) => {
                let block =
                    event.get("content_block").and_then(Value::as_object).cloned().unwrap_or_default();
                let piece = Piece { block, ..Piece::default() };
                let said = |key| piece.text(key).to_owned();
                if piece.is_call() {
                    self.calls.push(self.pieces.len());
                    out.push(StreamEvent::CallStarted { id: said("id"), name: said("name") });
                } else if !piece.text("text").is_empty() {
                    out.push(StreamEvent::Text(said("text")));
                }
                self.last.insert(index, self.pieces.len());
                self.pieces.push(piece);
            }
            (Some("content_block_delta"), Some(piece)) => {
                let delta = event.get("delta").and_then(Value::as_object);
                for (key, value) in delta.into_iter().flatten() {
                    piece.grow(key, value, out);
                }
            }
            (Some("content_block_stop"), Some(piece)) => piece.done = true,
            (Some("message_delta"), _) => {
                let reason = event.get("delta").and_then(|delta| delta.get("stop_reason"));
                self.stop = reason.cloned().or(self.stop.take());
            }
            (Some("message_stop"), _) => self.done = true,
            _ => {}
        }
    }

    fn body(&self) -> Value {
        let content: Vec<Value> = self.pieces.iter().map(Piece::value).collect();
        let stop = self.stop.clone().filter(|_| self.done).unwrap_or_else(|| "max_tokens".into());
        json!({"type": "message", "role": "assistant", "content": content, "stop_reason": stop})
    }

    fn call(&self, place: usize) -> Option<Found> {
        let piece = self.pieces.get(*self.calls.get(place)?)?;
        piece.done.then(|| found(&piece.value()))
    }
}
