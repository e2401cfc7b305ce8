//! Chat Completions of OpenAI, and of the many servers that speak it.
//! <https://developers.openai.com/api/reference/chat/completions>

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::call::{Found, ModelCall, Reply, Stop, bad_response};
use super::descriptor::{description, schema};
use super::limits;
use super::plan::{Plan, Planned};
use super::put::put;
use super::result::{blocks, data_url, joined, told};
use super::said::said;
use super::stream::{Assemble, Fragments, StreamEvent};
use crate::error::ToolError;
use crate::output::{Content, ToolResult};

/// The member `tools` of a request. `strict` is always said.
pub(super) fn tools(plan: &Plan) -> Value {
    let tool = |tool: &Planned| {
        let function = json!({
            "name": tool.name(),
            "description": description(plan, tool),
            "parameters": schema(tool),
            "strict": tool.strict(),
        });
        json!({"type": "function", "function": function})
    };
    plan.tools.iter().map(tool).collect()
}

/// A reply with these calls.
pub(super) fn encode_calls(calls: &[ModelCall], text: &str) -> Value {
    let call = |call: &ModelCall| {
        let arguments = call.args.as_ref().map_or_else(|_| "{}".to_owned(), Value::to_string);
        json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
    };
    let mut message = json!({"role": "assistant", "content": (!text.is_empty()).then_some(text)});
    if !calls.is_empty() {
        put(&mut message, "tool_calls", calls.iter().map(call).collect::<Value>());
    }
    let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
    json!({"choices": [{"index": 0, "message": message, "finish_reason": reason}]})
}

/// What a reply holds.
pub(super) fn read(body: &Value) -> Result<Reply, ToolError> {
    let choice = body.pointer("/choices/0").ok_or_else(|| bad_response(body, "choices"))?;
    let message = choice.get("message").filter(|message| message.is_object());
    let message = message.ok_or_else(|| bad_response(body, "message"))?;
    let text = message.get("content").map(text_of).unwrap_or_default();
    let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    let calls: Vec<Found> = calls.map(found).collect();
    let refused = message.get("refusal").is_some_and(Value::is_string) && calls.is_empty();
    let stop = match choice.get("finish_reason").and_then(Value::as_str) {
        Some("length") => Stop::Length,
        Some("content_filter") => Stop::Refused,
        _ if refused => Stop::Refused,
        _ => Stop::End,
    };
    // A message that says nothing would be refused.
    let says = ["content", "tool_calls", "refusal"]
        .iter()
        .any(|key| message.get(*key).is_some_and(|it| !it.is_null()));
    let echo = if says { message.clone() } else { Value::Null };
    Ok(Reply { calls, text, stop, echo })
}

/// The text of a content, which some servers send in parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

fn found(call: &Value) -> Found {
    let function = call.get("function").unwrap_or(&Value::Null);
    Found {
        wire_id: call.get("id").and_then(Value::as_str).map(str::to_owned),
        name: function.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
        args: function.get("arguments").cloned().unwrap_or_default(),
    }
}

/// What is appended to the history: a message for each result, then one with all images.
pub(super) fn results(plan: &Plan, results: &[(ModelCall, ToolResult)]) -> Vec<Value> {
    let mut messages = Vec::with_capacity(results.len() + 1);
    let mut images: Vec<Value> = Vec::new();
    for (call, result) in results {
        let id = call.wire_id.as_ref().unwrap_or(&call.id);
        let blocks = blocks(&call.name, result, shows, &plan.limits);
        let text = joined(&blocks, |media| Some(told(media, "in the next message")));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": text}));
        for block in &blocks {
            if let Content::Image { mime_type, data } = block {
                images.push(json!({"type": "text", "text": format!("Image from tool call {id}:")}));
                images.push(json!({"type": "image_url", "image_url": {"url": data_url(mime_type, data)}}));
            }
        }
    }
    if !images.is_empty() {
        messages.push(json!({"role": "user", "content": images}));
    }
    messages
}

/// The media that this API takes.
fn shows(block: &Content) -> bool {
    matches!(block, Content::Image { mime_type, .. } if limits::OPENAI_IMAGE_TYPES.types().contains(&mime_type.as_str()))
}

// ---- stream -------------------------------------------------------------------------------------------------------------

/// A call that comes in pieces.
#[derive(Debug, Default)]
struct Piece {
    id: String,
    name: String,
    arguments: Fragments,
    more: Map<String, Value>,
}

impl Piece {
    fn value(&self) -> Value {
        let function = json!({"name": self.name, "arguments": self.arguments.text()});
        let mut call = json!({"type": "function", "function": function});
        if !self.id.is_empty() {
            put(&mut call, "id", self.id.clone());
        }
        for (name, value) in &self.more {
            put(&mut call, name, value.clone());
        }
        call
    }
}

/// Arguments that say nothing.
const EMPTY: &str = "{}";

/// The message that a stream adds up to.
#[derive(Debug, Default)]
pub(super) struct Message {
    /// Texts, and what else a server sends as parts.
    content: Vec<Value>,
    refusal: String,
    calls: Vec<Piece>,
    /// The last call of each index, and of those without.
    last: HashMap<Option<u64>, usize>,
    /// How many calls, from the first on, take no more pieces.
    closed: usize,
    more: Map<String, Value>,
    reason: Option<Value>,
}

/// Takes the members that a server has besides the API's own, such as its reasoning, which it wants back: texts grow.
fn take_more(more: &mut Map<String, Value>, delta: &Value, own: &[&str]) {
    let members = delta.as_object().into_iter().flatten();
    for (name, value) in members.filter(|(name, value)| !own.contains(&name.as_str()) && !value.is_null()) {
        match (more.get_mut(name), value) {
            (Some(Value::String(text)), Value::String(piece)) => text.push_str(piece),
            (Some(Value::Array(list)), Value::Array(items)) => list.extend(items.iter().cloned()),
            _ => {
                more.insert(name.clone(), value.clone());
            }
        }
    }
}

impl Message {
    /// The call that a piece belongs to, which may be a new one: by its index, else a new id starts a new one. Behind a whole call
    /// more arguments are those of another, and so are an id and a name that are not its own: some servers give all calls the same
    /// index, or the same id, or none. What a server says once more is no other call.
    fn find_or_begin(&mut self, index: Option<u64>, piece: &Value, arguments: &str) -> Option<usize> {
        let (id, name) = (said(piece, "id"), said(function(piece), "name"));
        let known = match index {
            Some(_) => self.last.get(&index).copied(),
            None => self.calls.len().checked_sub(1),
        };
        if let Some((at, call)) = known.and_then(|at| Some((at, self.calls.get(at)?))) {
            let (whole, text) = (call.arguments.is_whole(), call.arguments.text());
            let renamed = !id.is_empty() && !call.id.is_empty() && call.id != id;
            if whole && !id.is_empty() && !renamed && text == arguments {
                return None;
            }
            let continues = at >= self.closed && name.is_empty() && !renamed && text == EMPTY;
            let more = !arguments.trim().is_empty() || (renamed && !name.is_empty());
            if !(whole && more && !continues || renamed && index.is_none()) {
                return Some(at);
            }
        }
        self.close();
        self.last.insert(index, self.calls.len());
        self.calls.push(Piece::default());
        Some(self.calls.len() - 1)
    }

    /// Closes the calls that are whole; a server may send the pieces of two in turn.
    fn close(&mut self) {
        while self.calls.get(self.closed).is_some_and(|call| call.arguments.is_whole()) {
            self.closed += 1;
        }
    }

    fn say(&mut self, text: &str) {
        let last = self.content.last_mut().filter(|part| words(part).is_some());
        if let Some(Value::String(said)) = last.and_then(|part| part.get_mut("text")) {
            said.push_str(text);
        } else if !text.is_empty() {
            self.content.push(json!({"type": "text", "text": text}));
        }
    }

    /// Takes text, or parts: one of the kind of the last one continues it.
    fn take_content(&mut self, content: &Value) {
        match content {
            Value::String(text) => self.say(text),
            Value::Array(parts) => {
                parts.iter().for_each(|part| match (words(part), self.content.last_mut()) {
                    (Some(text), _) => self.say(text),
                    (None, Some(Value::Object(last))) if last.get("type") == part.get("type") => {
                        take_more(last, part, &["type"]);
                    }
                    (None, _) => self.content.push(part.clone()),
                })
            }
            _ => {}
        }
    }

    /// As text where it is that alone.
    fn content(&self) -> Value {
        match &self.content[..] {
            [] => Value::Null,
            [part] if words(part).is_some() => words(part).into(),
            parts => parts.into(),
        }
    }
}

/// The text of a part that is one.
fn words(part: &Value) -> Option<&str> {
    part.get("text")?.as_str().filter(|_| part.get("type").is_some_and(|kind| kind == "text"))
}

fn function(call: &Value) -> &Value {
    call.get("function").unwrap_or(&Value::Null)
}

/// Adds a piece of a name; one that is repeated whole is not added.
fn join(whole: &mut String, piece: &str) {
    if whole != piece {
        whole.push_str(piece);
    }
}

impl Assemble for Message {
    fn take(&mut self, event: &Value, out: &mut Vec<StreamEvent>) {
        let Some(choice) = event.pointer("/choices/0") else { return };
        let delta = choice.get("delta").unwrap_or(&Value::Null);
        let content = delta.get("content").unwrap_or(&Value::Null);
        self.take_content(content);
        let text = text_of(content);
        if !text.is_empty() {
            out.push(StreamEvent::Text(text));
        }
        self.refusal.push_str(said(delta, "refusal"));
        take_more(&mut self.more, delta, &["role", "content", "refusal", "tool_calls"]);
        for piece in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let arguments = match function(piece).get("arguments") {
                Some(Value::String(text)) => text.clone(),
                Some(object @ Value::Object(_)) => object.to_string(),
                _ => String::new(),
            };
            let before = self.calls.len();
            let index = piece.get("index").and_then(Value::as_u64);
            let Some(at) = self.find_or_begin(index, piece, &arguments).filter(|at| *at >= self.closed)
            else {
                continue;
            };
            let Some(call) = self.calls.get_mut(at) else { continue };
            if call.id.is_empty() {
                said(piece, "id").clone_into(&mut call.id);
            }
            join(&mut call.name, said(function(piece), "name"));
            take_more(&mut call.more, piece, &["index", "id", "type", "function"]);
            if at == before {
                out.push(StreamEvent::CallStarted { id: call.id.clone(), name: call.name.clone() });
            }
            if !arguments.is_empty() {
                // Some begin with an empty object, in whose place the pieces come.
                match call.arguments.text() {
                    EMPTY if !arguments.trim().is_empty() => call.arguments.replace(&arguments),
                    _ => call.arguments.push(&arguments),
                }
                out.push(StreamEvent::CallDelta { id: call.id.clone(), bytes: arguments.len() });
            }
        }
        // Some servers have one in every event, which says nothing.
        let reason = choice.get("finish_reason").and_then(Value::as_str);
        if let Some(reason) = reason.filter(|reason| !matches!(*reason, "" | "null")) {
            self.reason = Some(reason.into());
            self.close();
            // Other reasons stand in every event of some servers, or say that a call was cut.
            if matches!(reason, "tool_calls" | "function_call") {
                self.closed = self.calls.len();
            }
        }
    }

    fn body(&self) -> Value {
        let mut message = json!({"role": "assistant", "content": self.content()});
        if !self.refusal.is_empty() {
            put(&mut message, "refusal", self.refusal.clone());
        }
        if !self.calls.is_empty() {
            put(&mut message, "tool_calls", self.calls.iter().map(Piece::value).collect::<Value>());
        }
        for (name, value) in &self.more {
            put(&mut message, name, value.clone());
        }
        let reason = self.reason.clone().unwrap_or_else(|| "length".into());
        json!({"choices": [{"index": 0, "message": message, "finish_reason": reason}]})
    }

    fn call(&self, place: usize) -> Option<Found> {
        self.calls.get(place).filter(|_| place < self.closed).map(|call| found(&call.value()))
    }
}
