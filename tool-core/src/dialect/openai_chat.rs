//! Chat Completions of OpenAI, and of the many servers that speak it.
//! <https://developers.openai.com/api/reference/chat/completions>

use serde_json::{Map, Value, json};

use super::call::{Found, ModelCall, Reply, Stop, bad_response};
use super::descriptor::{description, schema};
use super::limits;
use super::plan::{Plan, Planned};
use super::put::put;
use super::result::{blocks, data_url, joined, told};
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

fn shows(block: &Content) -> bool {
    match block {
        Content::Text { .. } => true,
        Content::Image { mime_type, .. } => limits::OPENAI_IMAGE_TYPES.types().contains(&mime_type.as_str()),
        _ => false,
    }
}

// ---- stream -------------------------------------------------------------------------------------------------------------

/// A call that comes in pieces.
#[derive(Debug, Default)]
struct Piece {
    /// Where a server gives one.
    index: Option<u64>,
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

/// The message that a stream adds up to.
#[derive(Debug, Default)]
pub(super) struct Message {
    /// Texts, and what else a server sends as parts.
    content: Vec<Value>,
    refusal: String,
    calls: Vec<Piece>,
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
    /// The call that a piece belongs to: by its index, else a new id starts a new one. Some servers give all the same index:
    /// behind a whole call, an id and a name that is not its own are those of another.
    fn at(&mut self, index: Option<u64>, id: &str, name: &str) -> usize {
        let other = |call: &Piece| {
            let named = !id.is_empty() && !call.id.is_empty() && call.id != id;
            named && (index.is_none() || !name.is_empty() && call.arguments.is_whole())
        };
        let known = match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index),
            None => self.calls.len().checked_sub(1),
        };
        known.filter(|at| !self.calls.get(*at).is_some_and(other)).unwrap_or_else(|| {
            self.close();
            self.calls.push(Piece { index, ..Piece::default() });
            self.calls.len() - 1
        })
    }

    /// Closes the calls that are whole; a server may send the pieces of two in turn.
    fn close(&mut self) {
        while self.calls.get(self.closed).is_some_and(|call| call.arguments.is_whole()) {
            self.closed += 1;
        }
    }

    fn say(&mut self, text: &str) {
        match self
            .content
            .last_mut()
            .filter(|part| words(part).is_some())
            .and_then(|part| part.get_mut("text"))
        {
            Some(Value::String(said)) => said.push_str(text),
            _ if text.is_empty() => {}
            _ => self.content.push(json!({"type": "text", "text": text})),
        }
    }

    fn take_content(&mut self, content: &Value) {
        match content {
            Value::String(text) => self.say(text),
            Value::Array(parts) => {
                for part in parts {
                    match words(part) {
                        Some(text) => self.say(text),
                        None => self.content.push(part.clone()),
                    }
                }
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

/// Adds a piece of a name or id; one that is repeated whole is not added.
fn join(whole: &mut String, piece: &str) {
    if whole != piece {
        whole.push_str(piece);
    }
}

impl Assemble for Message {
    fn take(&mut self, event: &Value, out: &mut Vec<StreamEvent>) {
        let Some(choice) = event.pointer("/choices/0") else { return };
        let said = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        let delta = choice.get("delta").unwrap_or(&Value::Null);
        let content = delta.get("content").unwrap_or(&Value::Null);
        self.take_content(content);
        let text = text_of(content);
        if !text.is_empty() {
            out.push(StreamEvent::Text(text));
        }
        self.refusal.push_str(&said(delta, "refusal"));
        take_more(&mut self.more, delta, &["role", "content", "refusal", "tool_calls"]);
        for piece in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let function = piece.get("function").unwrap_or(&Value::Null);
            let (id, name) = (said(piece, "id"), said(function, "name"));
            let before = self.calls.len();
            let at = self.at(piece.get("index").and_then(Value::as_u64), &id, &name);
            let Some(call) = self.calls.get_mut(at).filter(|_| at >= self.closed) else { continue };
            join(&mut call.id, &id);
            take_more(&mut call.more, piece, &["index", "id", "type", "function"]);
            join(&mut call.name, &name);
            if at == before {
                out.push(StreamEvent::CallStarted { id: call.id.clone(), name: call.name.clone() });
            }
            match function.get("arguments") {
                Some(Value::String(arguments)) if !arguments.is_empty() => {
                    call.arguments.push(arguments);
                    out.push(StreamEvent::CallDelta { id: call.id.clone(), bytes: arguments.len() });
                }
                Some(object @ Value::Object(_)) => call.arguments.replace(&object.to_string()),
                _ => {}
            }
        }
        // Some servers have one in every event, which says nothing.
        let reason = choice.get("finish_reason").and_then(Value::as_str);
        if let Some(reason) = reason.filter(|reason| !matches!(*reason, "" | "null")) {
            self.reason = Some(reason.into());
            self.close();
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
