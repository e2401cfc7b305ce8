//! The Responses API of OpenAI.
//! <https://developers.openai.com/api/reference/responses>

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use super::call::{Found, ModelCall, Reply, Stop, bad_response};
use super::descriptor::{description, schema};
use super::limits;
use super::plan::{Plan, Planned};
use super::put::put;
use super::result::{blocks, data_url, joined};
use super::said::said;
use super::stream::{Assemble, Fragments, StreamEvent};
use crate::error::ToolError;
use crate::output::{Content, ResourceBody, ToolResult};

const PDF: &str = "application/pdf";

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
    let calls = output.iter().filter(|item| is_call(item)).map(found);
    let reason = body.pointer("/incomplete_details/reason").and_then(Value::as_str);
    let stop = match (body.get("status").and_then(Value::as_str), reason) {
        (Some("incomplete"), Some("content_filter")) => Stop::Refused,
        (Some("incomplete"), _) => Stop::Length,
        _ if parts.iter().any(|part| kind(part) == "refusal") => Stop::Refused,
        _ => Stop::End,
    };
    Ok(Reply { calls: calls.collect(), text: text.collect(), stop, echo: output.clone().into() })
}

fn is_call(item: &Value) -> bool {
    said(item, "type") == "function_call"
}

fn found(item: &Value) -> Found {
    Found {
        wire_id: item.get("call_id").and_then(Value::as_str).map(str::to_owned),
        name: said(item, "name").to_owned(),
        args: item.get("arguments").cloned().unwrap_or_default(),
    }
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

/// The media that this API takes.
fn shows(block: &Content) -> bool {
    match block {
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
    /// Where it stands in the output, if the server says so.
    index: Option<u64>,
    item: Value,
    text: String,
    arguments: Fragments,
    done: bool,
}

impl Piece {
    /// The item so far: as the final event gave it, else what its pieces add up to.
    fn value(&self) -> Value {
        let mut item = self.item.clone();
        if self.done {
            return item;
        }
        if is_call(&item) {
            let pieces = self.arguments.text();
            let text = if pieces.is_empty() { said(&item, "arguments") } else { pieces }.to_owned();
            put(&mut item, "arguments", text);
        } else if !self.text.is_empty() {
            put(&mut item, "content", json!([{"type": "output_text", "text": self.text}]));
        }
        item
    }
}

/// The response that a stream adds up to: its items in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Response {
    pieces: Vec<Piece>,
    /// Which of the pieces are calls.
    calls: Vec<usize>,
    /// Where the pieces are, by each of their ids, and the last one of each index.
    by_id: HashMap<String, usize>,
    by_index: HashMap<u64, usize>,
    last: Option<Value>,
}

impl Response {
    /// The item that an event names: one of the same kind with an id of it, unless their indexes are others and so is their other id.
    /// Some servers leave indexes out or give all the same, some do so with ids, and some change an id.
    fn named(&self, event: &Value) -> Option<usize> {
        let item = event.get("item").unwrap_or(&Value::Null);
        let ids = [said(event, "item_id"), said(item, "id"), said(item, "call_id")];
        let is_it = |at: &usize| {
            let Some(piece) = self.pieces.get(*at) else { return false };
            let has =
                |id: &str| !id.is_empty() && ["id", "call_id"].iter().any(|key| said(&piece.item, key) == id);
            let differs = |key| {
                let (was, is) = (said(&piece.item, key), said(item, key));
                !was.is_empty() && !is.is_empty() && was != is
            };
            let elsewhere = index(event).is_some() && piece.index.is_some() && index(event) != piece.index;
            ids.into_iter().any(has)
                && (item.is_null() || said(item, "type") == said(&piece.item, "type"))
                && !(elsewhere && (differs("id") || differs("call_id")))
        };
        let placed = index(event).and_then(|index| self.by_index.get(&index));
        placed.into_iter().chain(ids.iter().filter_map(|id| self.by_id.get(*id))).copied().find(is_it)
    }

    /// The item that an event without a known id is about: by its index, else the last one.
    fn placed(&self, event: &Value) -> Option<usize> {
        match index(event) {
            Some(index) => self.by_index.get(&index).copied(),
            None => self.pieces.len().checked_sub(1),
        }
    }

    /// The item that an event is about, if it is not done.
    fn open(&mut self, event: &Value) -> Option<&mut Piece> {
        let at = self.named(event).or_else(|| self.placed(event))?;
        self.pieces.get_mut(at).filter(|piece| !piece.done)
    }

    fn begin(&mut self, event: &Value, item: &Value) -> usize {
        let (at, index) = (self.pieces.len(), index(event));
        self.by_index.extend(index.map(|index| (index, at)));
        if is_call(item) {
            self.calls.push(at);
        }
        self.pieces.push(Piece { index, item: item.clone(), ..Piece::default() });
        self.remember(at, item);
        at
    }

    fn remember(&mut self, at: usize, item: &Value) {
        for id in ["id", "call_id"].map(|key| said(item, key)).into_iter().filter(|id| !id.is_empty()) {
            self.by_id.insert(id.to_owned(), at);
        }
    }

    /// An item ends once: what names it after that says the same once more. One without a known id may be the open one of its place.
    fn end(&mut self, event: &Value, item: &Value) {
        let of = |at: usize| self.pieces.get(at).map(|piece| (at, piece));
        let is_open = |piece: &Piece| !piece.done && said(&piece.item, "type") == said(item, "type");
        let at = match (self.named(event).and_then(of), self.placed(event).and_then(of)) {
            (Some((_, piece)), _) if piece.done => return,
            (Some((at, _)), _) => at,
            (None, Some((_, piece))) if piece.done && piece.item == *item => return,
            (None, Some((at, piece))) if is_open(piece) => at,
            (None, _) => self.begin(event, item),
        };
        self.remember(at, item);
        let Some(piece) = self.pieces.get_mut(at) else { return };
        (piece.item, piece.done) = (item.clone(), true);
        let is_blank =
            item.get("arguments").is_none_or(|it| it.as_str().is_some_and(|it| it.trim().is_empty()));
        if is_call(item) && is_blank && !piece.arguments.text().is_empty() {
            put(&mut piece.item, "arguments", piece.arguments.text().to_owned());
        }
    }

    /// Whether a whole output has what is closed of the calls, unchanged, and no less than what came.
    fn agrees(&self, output: &[Value]) -> bool {
        let mut calls = output.iter().filter(|item| is_call(item));
        let same = |piece: &Piece| {
            let item = calls.next();
            ["call_id", "name", "arguments"]
                .iter()
                .all(|key| item.is_some_and(|item| item.get(key) == piece.item.get(key)))
        };
        let holds = |piece: &&Piece| piece.done || is_call(&piece.item) || !piece.text.is_empty();
        (0..).map_while(|place| self.closed(place)).all(same)
            && output.len() >= self.pieces.iter().filter(holds).count()
    }

    /// The call of a place that will not change; one that was cut is in the reply alone.
    fn closed(&self, place: usize) -> Option<&Piece> {
        let piece = self.pieces.get(*self.calls.get(place)?)?;
        (piece.done && said(&piece.item, "status") != "incomplete").then_some(piece)
    }

    /// The items, as they stand in the output where the calls began in that order.
    fn output(&self) -> Value {
        let mut pieces: Vec<&Piece> = self.pieces.iter().collect();
        let calls = self.calls.iter().filter_map(|at| self.pieces.get(*at));
        if pieces.iter().all(|piece| piece.index.is_some()) && calls.is_sorted_by_key(|piece| piece.index) {
            pieces.sort_by_key(|piece| piece.index);
        }
        pieces.into_iter().map(Piece::value).collect()
    }
}

fn index(event: &Value) -> Option<u64> {
    event.get("output_index")?.as_u64()
}

impl Assemble for Response {
    fn take(&mut self, event: &Value, out: &mut Vec<StreamEvent>) {
        let delta = said(event, "delta");
        let item = event.get("item").filter(|item| item.is_object());
        match (said(event, "type"), item) {
            ("response.output_item.added", Some(item)) if self.named(event).is_none() => {
                self.begin(event, item);
                if is_call(item) {
                    let text = |key| said(item, key).to_owned();
                    out.push(StreamEvent::CallStarted { id: text("call_id"), name: text("name") });
                }
            }
            ("response.output_item.done", Some(item)) => self.end(event, item),
            ("response.output_text.delta", _) => {
                if let Some(piece) = self.open(event) {
                    piece.text.push_str(delta);
                }
                out.push(StreamEvent::Text(delta.to_owned()));
            }
            ("response.function_call_arguments.delta", _) => {
                if let Some(piece) = self.open(event) {
                    piece.arguments.push(delta);
                    let id = said(&piece.item, "call_id").to_owned();
                    out.push(StreamEvent::CallDelta { id, bytes: delta.len() });
                }
            }
            ("response.function_call_arguments.done", _) => {
                let whole = event.get("arguments").and_then(Value::as_str);
                if let (Some(piece), Some(whole)) = (self.open(event), whole) {
                    piece.arguments.replace(whole);
                }
            }
            ("response.completed" | "response.incomplete" | "response.failed", _) => {
                self.last = event.get("response").cloned();
            }
            _ => {}
        }
    }

    fn body(&self) -> Value {
        match &self.last {
            Some(Value::Object(last)) => {
                let mut body = last.clone();
                if !last.get("output").and_then(Value::as_array).is_some_and(|all| self.agrees(all)) {
                    body.insert("output".to_owned(), self.output());
                }
                Value::Object(body)
            }
            _ => {
                let reason = json!({"reason": "stream_ended"});
                json!({"status": "incomplete", "incomplete_details": reason, "output": self.output()})
            }
        }
    }

    fn call(&self, place: usize) -> Option<Found> {
        self.closed(place).map(|piece| found(&piece.item))
    }
}
