//! The Responses API of OpenAI.
//! <https://developers.openai.com/api/reference/responses>

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::call::{Found, ModelCall, Reply, Stop, bad_response};
use super::descriptor::{description, schema};
use super::limits;
use super::plan::{Plan, Planned};
use super::put::put;
use super::result::{blocks, data_url, joined};
use super::stream::{Assemble, Fragments, StreamEvent};
use crate::error::ToolError;
use crate::output::{Content, ResourceBody, ToolResult};

const PDF: &str = "application/pdf";
const CALL: &str = "function_call";

/// The member `tools` of a request. `strict` is always said: its absence means "strict if it fits".
pub(super) fn tools(plan: &Plan) -> Value {
    let (mut alone, mut grouped) = (Vec::new(), BTreeMap::<&str, Vec<Value>>::new());
    for tool in &plan.tools {
        let descriptor = descriptor(plan, tool);
        match tool.entry.def().group.filter(|_| plan.namespaces) {
            Some(group) => grouped.entry(group).or_default().push(descriptor),
            None => alone.push(descriptor),
        }
    }
    let spaces = grouped.into_iter().map(|(group, tools)| {
        json!({"type": "namespace", "name": group, "description": format!("Tools of the group {group}."), "tools": tools})
    });
    alone.into_iter().chain(spaces).collect()
}

fn descriptor(plan: &Plan, tool: &Planned) -> Value {
    let mut descriptor = json!({
        "type": "function",
        "name": tool.name(),
        "description": description(plan, tool),
        "parameters": schema(tool),
        "strict": tool.strict(),
    });
    if tool.deferred {
        put(&mut descriptor, "defer_loading", true);
    }
    descriptor
}

/// A reply with these calls.
pub(super) fn encode_calls(calls: &[ModelCall], text: &str) -> Value {
    let said = (!text.is_empty()).then(|| {
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})
    });
    let called = calls.iter().map(|call| {
        let arguments = call.args.as_ref().map_or_else(|_| "{}".to_owned(), Value::to_string);
        json!({
            "type": "function_call",
            "id": format!("fc_{}", call.id),
            "call_id": call.id,
            "name": call.name,
            "arguments": arguments,
            "status": "completed",
        })
    });
    json!({"status": "completed", "output": said.into_iter().chain(called).collect::<Vec<_>>()})
}

/// What a reply holds.
pub(super) fn read(body: &Value) -> Result<Reply, ToolError> {
    let output = body.get("output").and_then(Value::as_array).ok_or_else(|| bad_response(body, "output"))?;
    let kind = |item: &Value| item.get("type").and_then(Value::as_str).unwrap_or("").to_owned();
    let parts: Vec<&Value> = output
        .iter()
        .filter(|item| kind(item) == "message")
        .filter_map(|item| item.get("content")?.as_array())
        .flatten()
        .collect();
    let text =
        parts.iter().filter(|part| kind(part) == "output_text").filter_map(|part| part.get("text")?.as_str());
    let calls = output.iter().filter(|item| kind(item) == "function_call").map(|item| Found {
        wire_id: item.get("call_id").and_then(Value::as_str).map(str::to_owned),
        name: item.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
        args: item.get("arguments").cloned().unwrap_or_default(),
    });
    let reason = body.pointer("/incomplete_details/reason").and_then(Value::as_str);
    let stop = match (body.get("status").and_then(Value::as_str), reason) {
        (Some("incomplete"), Some("content_filter")) => Stop::Refused,
        (Some("incomplete"), _) => Stop::Length,
        _ if parts.iter().any(|part| kind(part) == "refusal") => Stop::Refused,
        _ => Stop::End,
    };
    Ok(Reply { calls: calls.collect(), text: text.collect(), stop, echo: output.clone().into() })
}

/// What is appended to the history: one item per result.
pub(super) fn results(plan: &Plan, results: &[(ModelCall, ToolResult)]) -> Vec<Value> {
    let item = |(call, result): &(ModelCall, ToolResult)| {
        let blocks = blocks(&call.name, result, shows, &plan.limits);
        let media = blocks.iter().any(|block| !matches!(block, Content::Text { .. }));
        let output = match media {
            true => blocks.iter().map(part).collect(),
            false => Value::from(joined(&blocks, |_| None)),
        };
        json!({"type": "function_call_output", "call_id": call.wire_id.as_ref().unwrap_or(&call.id), "output": output})
    };
    results.iter().map(item).collect()
}

fn shows(block: &Content) -> bool {
    match block {
        Content::Text { .. } => true,
        Content::Image { mime_type, .. } => limits::OPENAI_IMAGE_TYPES.types().contains(&mime_type.as_str()),
        Content::Resource { mime_type, body: ResourceBody::Blob(_), .. } => mime_type.as_deref() == Some(PDF),
        _ => false,
    }
}

fn part(block: &Content) -> Value {
    match block {
        Content::Image { mime_type, data } => {
            json!({"type": "input_image", "image_url": data_url(mime_type, data)})
        }
        Content::Resource { uri, body: ResourceBody::Blob(data), .. } => {
            let name = uri.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("file.pdf");
            json!({"type": "input_file", "filename": name, "file_data": data_url(PDF, data)})
        }
        Content::Text { text } => json!({"type": "input_text", "text": text}),
        other => json!({"type": "input_text", "text": json!(other).to_string()}),
    }
}

// ---- stream -------------------------------------------------------------------------------------------------------------

/// An item that comes in pieces.
#[derive(Debug, Default)]
struct Piece {
    index: u64,
    item: Value,
    text: String,
    arguments: Fragments,
    done: bool,
}

impl Piece {
    fn said(&self, key: &str) -> &str {
        said(&self.item, key)
    }

    fn is_call(&self) -> bool {
        self.said("type") == CALL
    }

    /// The item so far: as the final event gave it, else what its pieces add up to.
    fn value(&self) -> Value {
        let mut item = self.item.clone();
        if self.done || !item.is_object() {
            return item;
        }
        if self.is_call() {
            let pieces = self.arguments.text();
            let text = if pieces.is_empty() { self.said("arguments") } else { pieces };
            put(&mut item, "arguments", text.to_owned());
        } else if !self.text.is_empty() {
            put(&mut item, "content", json!([{"type": "output_text", "text": self.text}]));
        }
        item
    }
}

/// The response that a stream adds up to: its items in the order in which they began.
///
/// An item that is done does not change, since its call may run already: what comes for its index after that is another item, or
/// the same once more.
#[derive(Debug, Default)]
pub(super) struct Response {
    pieces: Vec<Piece>,
    last: Option<Value>,
}

impl Response {
    /// The item of an index that is not done.
    fn open(&mut self, index: u64) -> Option<&mut Piece> {
        self.pieces.iter_mut().rev().find(|piece| piece.index == index).filter(|piece| !piece.done)
    }

    fn done(&mut self, index: u64, item: Value) {
        let same = |piece: &Piece, key| piece.said(key) == said(&item, key);
        let named = ["id", "call_id"].iter().any(|key| !said(&item, key).is_empty());
        let twice =
            |piece: &Piece| piece.item == item || named && same(piece, "id") && same(piece, "call_id");
        if self.pieces.iter().any(|piece| piece.done && piece.index == index && twice(piece)) {
            return;
        }
        match self.open(index).filter(|piece| same(piece, "type")) {
            Some(piece) => (piece.item, piece.done) = (item, true),
            None => self.pieces.push(Piece { index, item, done: true, ..Piece::default() }),
        }
    }

    /// Whether a whole output holds what is done of the calls, unchanged.
    fn agrees(&self, output: &[Value]) -> bool {
        let done: Vec<&Piece> =
            self.pieces.iter().filter(|piece| piece.is_call()).take(self.complete()).collect();
        let calls: Vec<&Value> =
            output.iter().filter(|item| said(item, "type") == CALL).take(done.len()).collect();
        let same = |(piece, item): (&&Piece, &&Value)| {
            ["call_id", "name", "arguments"].iter().all(|key| piece.said(key) == said(item, key))
        };
        output.len() >= self.pieces.len() && calls.len() == done.len() && done.iter().zip(&calls).all(same)
    }
}

fn said<'a>(item: &'a Value, key: &str) -> &'a str {
    item.get(key).and_then(Value::as_str).unwrap_or("")
}

impl Assemble for Response {
    fn take(&mut self, event: &Value, out: &mut Vec<StreamEvent>) {
        let index = event.get("output_index").and_then(Value::as_u64).unwrap_or(0);
        let delta = said(event, "delta");
        match event.get("type").and_then(Value::as_str) {
            Some("response.output_item.added") => {
                let item = event.get("item").cloned().unwrap_or_default();
                let piece = Piece { index, item, ..Piece::default() };
                if piece.is_call() {
                    out.push(StreamEvent::CallStarted {
                        id: piece.said("call_id").to_owned(),
                        name: piece.said("name").to_owned(),
                    });
                }
                self.pieces.push(piece);
            }
            Some("response.output_text.delta") => {
                if let Some(piece) = self.open(index) {
                    piece.text.push_str(delta);
                }
                out.push(StreamEvent::Text(delta.to_owned()));
            }
            Some("response.function_call_arguments.delta") => {
                if let Some(piece) = self.open(index) {
                    piece.arguments.push(delta);
                    out.push(StreamEvent::CallDelta {
                        id: piece.said("call_id").to_owned(),
                        bytes: delta.len(),
                    });
                }
            }
            Some("response.function_call_arguments.done") => {
                if let (Some(piece), Some(whole)) =
                    (self.open(index), event.get("arguments").and_then(Value::as_str))
                {
                    piece.arguments.replace(whole);
                }
            }
            Some("response.output_item.done") => {
                self.done(index, event.get("item").cloned().unwrap_or_default())
            }
            Some("response.completed" | "response.incomplete" | "response.failed") => {
                self.last = event.get("response").cloned();
            }
            _ => {}
        }
    }

    fn body(&self) -> Value {
        let output = || self.pieces.iter().map(Piece::value).collect::<Value>();
        match &self.last {
            Some(Value::Object(last)) => {
                let mut body = last.clone();
                if !last.get("output").and_then(Value::as_array).is_some_and(|all| self.agrees(all)) {
                    body.insert("output".to_owned(), output());
                }
                Value::Object(body)
            }
            _ => {
                json!({"status": "incomplete", "incomplete_details": {"reason": "stream_ended"}, "output": output()})
            }
        }
    }

    fn complete(&self) -> usize {
        self.pieces.iter().filter(|piece| piece.is_call()).take_while(|piece| piece.done).count()
    }
}
