//! Gemini's `generateContent`.
//! <https://ai.google.dev/gemini-api/docs/function-calling>

use serde_json::{Map, Value, json};

use super::call::{Found, ModelCall, Reply, Stop, bad_response};
use super::descriptor::description;
use super::limits::{self, Limits};
use super::plan::Plan;
use super::put::put;
use super::result::{blocks, error_object, joined};
use super::said::said;
use super::stream::{Assemble, StreamEvent};
use crate::error::ToolError;
use crate::output::{Content, ResourceBody, ToolResult};

/// The member `tools` of a request. A tool without parameters has no schema.
pub(super) fn tools(plan: &Plan) -> Value {
    let declarations = plan.tools.iter().map(|tool| {
        let mut declaration = json!({"name": tool.name(), "description": description(plan, tool)});
        if let Some(schema) = &tool.compiled.schema {
            put(&mut declaration, "parametersJsonSchema", schema.clone());
        }
        declaration
    });
    let declarations: Vec<Value> = declarations.collect();
    if declarations.is_empty() { json!([]) } else { json!([{"functionDeclarations": declarations}]) }
}

/// A reply with these calls.
pub(super) fn encode_calls(calls: &[ModelCall], text: &str) -> Value {
    let said = (!text.is_empty()).then(|| json!({"text": text}));
    let called = calls.iter().map(|call| {
        let args = call.args.as_ref().map_or_else(|_| json!({}), Value::clone);
        json!({"functionCall": {"id": call.id, "name": call.name, "args": args}})
    });
    let parts: Vec<Value> = said.into_iter().chain(called).collect();
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]})
}

/// What a reply holds.
pub(super) fn read(body: &Value) -> Result<Reply, ToolError> {
    let blocked = body.pointer("/promptFeedback/blockReason").is_some();
    let candidate = match body.pointer("/candidates/0").filter(|candidate| candidate.is_object()) {
        Some(candidate) => candidate,
        None if blocked => {
            return Ok(Reply {
                calls: Vec::new(),
                text: String::new(),
                stop: Stop::Refused,
                echo: Value::Null,
            });
        }
        None => return Err(bad_response(body, "candidates")),
    };
    let content = candidate.get("content").unwrap_or(&Value::Null);
    let parts = content.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = parts.iter().filter(|part| !is_thought(part));
    let text = text.filter_map(|part| part.get("text")?.as_str()).collect();
    let calls = parts.iter().filter_map(found);
    let stop = match candidate.get("finishReason").and_then(Value::as_str) {
        None | Some("STOP" | "FINISH_REASON_UNSPECIFIED") => Stop::End,
        Some("MAX_TOKENS") => Stop::Length,
        Some("MALFORMED_FUNCTION_CALL") => Stop::Malformed,
        Some(_) => Stop::Refused,
    };
    Ok(Reply { calls: calls.collect(), text, stop, echo: echoed(content, parts) })
}

fn found(part: &Value) -> Option<Found> {
    let call = part.get("functionCall")?;
    Some(Found {
        wire_id: call.get("id").and_then(Value::as_str).map(str::to_owned),
        name: call.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
        args: call.get("args").cloned().unwrap_or_default(),
    })
}

fn is_thought(part: &Value) -> bool {
    part.get("thought").and_then(Value::as_bool) == Some(true)
}

/// The content as the API takes it back: it sends parts without anything in them, and refuses them.
fn echoed(content: &Value, parts: &[Value]) -> Value {
    let is_empty = |part: &&Value| {
        part.get("text").is_some_and(|text| text == "") && part.get("thoughtSignature").is_none()
    };
    let kept: Vec<Value> = parts.iter().filter(|part| !is_empty(part)).cloned().collect();
    if kept.is_empty() {
        return Value::Null;
    }
    let mut content = content.clone();
    put(&mut content, "parts", kept);
    content
}

/// What is appended to the history: one content with every result.
pub(super) fn results(plan: &Plan, results: &[(ModelCall, ToolResult)]) -> Vec<Value> {
    let part = |(call, result): &(ModelCall, ToolResult)| {
        let blocks = blocks(&call.name, result, shows, &plan.limits);
        let response = match error_object(result) {
            Some(error) => json!({"error": error}),
            None => json!({"output": output(result, &blocks, &plan.limits)}),
        };
        let mut answer = Map::new();
        answer.extend(call.wire_id.iter().map(|id| ("id".to_owned(), id.clone().into())));
        answer.insert("name".to_owned(), call.name.clone().into());
        answer.insert("response".to_owned(), response);
        let media: Vec<Value> = blocks.iter().filter_map(inline).collect();
        if !media.is_empty() {
            answer.insert("parts".to_owned(), media.into());
        }
        json!({"functionResponse": answer})
    };
    vec![json!({"role": "user", "parts": results.iter().map(part).collect::<Vec<_>>()})]
}

/// The structured value itself where it is all and not too long; else the text.
fn output(result: &ToolResult, blocks: &[Content], limits: &Limits) -> Value {
    let whole = result.as_ref().ok().filter(|output| output.content.is_empty());
    match whole.and_then(|output| output.structured.as_ref()) {
        Some(value) if value.text().len() <= limits.get(limits::RESULT_BYTES) => value.to_value(),
        _ => joined(blocks, |_| None).into(),
    }
}

/// The media that this API takes.
fn shows(block: &Content) -> bool {
    match block {
        Content::Image { mime_type, .. } => limits::GEMINI_MEDIA_TYPES.types().contains(&mime_type.as_str()),
        Content::Resource { mime_type: Some(mime), body: ResourceBody::Blob(_), .. } => {
            limits::GEMINI_MEDIA_TYPES.types().contains(&mime.as_str())
        }
        _ => false,
    }
}

fn inline(block: &Content) -> Option<Value> {
    let (mime, data) = match block {
        Content::Image { mime_type, data } => (mime_type, data),
        Content::Resource { mime_type: Some(mime), body: ResourceBody::Blob(data), .. } => (mime, data),
        _ => return None,
    };
    Some(json!({"inlineData": {"mimeType": mime, "data": data}}))
}

// ---- stream -------------------------------------------------------------------------------------------------------------

/// The reply that a stream adds up to: parts come whole.
#[derive(Debug, Default)]
pub(super) struct Candidate {
    parts: Vec<Value>,
    /// Which of the parts are calls.
    calls: Vec<usize>,
    reason: Option<Value>,
    feedback: Option<Value>,
}

impl Assemble for Candidate {
    fn take(&mut self, event: &Value, out: &mut Vec<StreamEvent>) {
        self.feedback = event.get("promptFeedback").cloned().or(self.feedback.take());
        let Some(candidate) = event.pointer("/candidates/0") else { return };
        self.reason = candidate.get("finishReason").cloned().or(self.reason.take());
        for part in candidate.pointer("/content/parts").and_then(Value::as_array).into_iter().flatten() {
            if let Some(call) = part.get("functionCall") {
                self.calls.push(self.parts.len());
                let text = |key| said(call, key).to_owned();
                out.push(StreamEvent::CallStarted { id: text("id"), name: text("name") });
            } else if !is_thought(part) && part.get("text").is_some() {
                out.push(StreamEvent::Text(said(part, "text").to_owned()));
            }
            self.parts.push(part.clone());
        }
    }

    fn body(&self) -> Value {
        let reason = self.reason.clone().unwrap_or_else(|| "MAX_TOKENS".into());
        match &self.feedback {
            Some(feedback)
                if feedback.get("blockReason").is_some()
                    && self.parts.is_empty()
                    && self.reason.is_none() =>
            {
                json!({"promptFeedback": feedback})
            }
            _ => json!({
                "candidates": [{"content": {"role": "model", "parts": self.parts}, "finishReason": reason}],
            }),
        }
    }

    fn call(&self, place: usize) -> Option<Found> {
        found(self.parts.get(*self.calls.get(place)?)?)
    }
}
