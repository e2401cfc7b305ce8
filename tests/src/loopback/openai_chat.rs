//! Chat Completions of OpenAI, as it answers and as it refuses.
//! <https://developers.openai.com/api/reference/chat/completions>

use axum::http::HeaderMap;
use serde_json::{Value, json};

use super::asked::{Asked, Refusal, flag, keyed, kind, list, must, name, object, refuse, text, tokens};
use super::names::Names;
use super::pairs::Pairs;
use super::reply::{Event, Reply, pieces};
use super::schema;

const MEMBERS: &[&str] = &[
    "model",
    "messages",
    "audio",
    "frequency_penalty",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "metadata",
    "modalities",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "reasoning_effort",
    "response_format",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
    "web_search_options",
];

/// The longest name of a tool, and the longest id of a call.
const NAME: usize = 64;
const ID: usize = 40;

/// The most tools of a request.
pub(super) const TOOLS: usize = 128;

/// Reads a request, as strictly as the API does.
pub(super) fn read(headers: &HeaderMap, body: &Value) -> Result<Asked, Refusal> {
    keyed(is_bearer(headers))?;
    object(body, "body", MEMBERS)?;
    text(&body["model"], "model")?;
    if !body["max_completion_tokens"].is_null() {
        tokens(&body["max_completion_tokens"], "max_completion_tokens", 1)?;
    }
    tools(&body["tools"])?;
    let mut asked = Asked { stream: flag(&body["stream"], "stream")?, ..Asked::default() };
    let mut pairs = Pairs::default();
    for (i, message) in list(&body["messages"], "messages")?.iter().enumerate() {
        let at = format!("messages.{i}");
        match message["role"].as_str() {
            Some("system" | "developer") => {
                content(&message["content"], &at)?;
            }
            Some("user") => {
                pairs.settled(&at)?;
                asked.said(&content(&message["content"], &at)?);
            }
            Some("assistant") => {
                pairs.settled(&at)?;
                asked.replies += 1;
                answered(message, &at, &mut pairs)?;
            }
            Some("tool") => {
                object(message, &at, &["role", "tool_call_id", "content"])?;
                pairs.result(text(&message["tool_call_id"], &at)?)?;
                asked.result = content(&message["content"], &at)?;
            }
            _ => return refuse(format!("{at}.role: is unknown")),
        }
    }
    pairs.settled("messages")?;
    Ok(asked)
}

/// Whether the key stands where the API looks for it.
pub(super) fn is_bearer(headers: &HeaderMap) -> bool {
    let value = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or("");
    value.strip_prefix("Bearer ").is_some_and(|key| !key.trim().is_empty())
}

/// A text, or the texts of parts.
fn content(content: &Value, at: &str) -> Result<String, Refusal> {
    if let Some(said) = content.as_str() {
        return Ok(said.to_owned());
    }
    let mut said = String::new();
    for (i, part) in list(content, &format!("{at}.content"))?.iter().enumerate() {
        match kind(part) {
            "text" => said.push_str(part["text"].as_str().unwrap_or("")),
            "image_url" => {
                text(&part["image_url"]["url"], &format!("{at}.content.{i}.image_url.url"))?;
            }
            "input_audio" | "file" => {}
            other => return refuse(format!("{at}.content.{i}: no part of type `{other}`")),
        }
    }
    Ok(said)
}

/// A reply of the model, sent back.
fn answered(message: &Value, at: &str, pairs: &mut Pairs) -> Result<(), Refusal> {
    let calls = &message["tool_calls"];
    if calls.is_null() {
        let said =
            message["content"].is_string() || message["content"].is_array() || message["refusal"].is_string();
        return must(said, || format!("{at}.content: must not be null without `tool_calls`"));
    }
    for (i, call) in list(calls, &format!("{at}.tool_calls"))?.iter().enumerate() {
        let at = format!("{at}.tool_calls.{i}");
        let id = text(&call["id"], &at)?;
        must(id.len() <= ID, || format!("{at}.id: longer than {ID} characters"))?;
        must(kind(call) == "function", || format!("{at}.type: must be `function`"))?;
        name(&call["function"]["name"], &at, NAME)?;
        must(call["function"]["arguments"].is_string(), || {
            format!("{at}.function.arguments: must be a text")
        })?;
        pairs.call(id)?;
    }
    Ok(())
}

fn tools(tools: &Value) -> Result<(), Refusal> {
    if tools.is_null() {
        return Ok(());
    }
    let tools = list(tools, "tools")?;
    must(tools.len() <= TOOLS, || format!("tools: more than {TOOLS}"))?;
    let mut names = Names::default();
    for (i, tool) in tools.iter().enumerate() {
        let at = format!("tools.{i}");
        object(tool, &at, &["type", "function"])?;
        must(kind(tool) == "function", || format!("{at}.type: must be `function`"))?;
        let function = &tool["function"];
        object(function, &at, &["name", "description", "parameters", "strict"])?;
        names.take(name(&function["name"], &at, NAME)?)?;
        parameters(function, &at)?;
    }
    Ok(())
}

/// The schema of a function, which the two APIs of OpenAI judge alike.
pub(super) fn parameters(function: &Value, at: &str) -> Result<(), Refusal> {
    let parameters = &function["parameters"];
    if !parameters.is_null() {
        schema::loose(parameters, at)?;
    }
    if flag(&function["strict"], at)? { schema::openai(parameters, at) } else { Ok(()) }
}

/// The reply, whole.
pub(super) fn whole(reply: &Reply) -> Value {
    let calls = reply.calls.iter().enumerate().map(|(i, (tool, args))| {
        json!({"id": reply.id("call_", i), "type": "function",
            "function": {"name": tool.name, "arguments": args.to_string()}})
    });
    let calls: Vec<Value> = calls.collect();
    let said = (!reply.text.is_empty()).then_some(&reply.text);
    let mut message = json!({"role": "assistant", "content": said, "refusal": null, "annotations": []});
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let reason = if reply.calls.is_empty() { "stop" } else { "tool_calls" };
    json!({
        "id": format!("chatcmpl-{}", reply.turn), "object": "chat.completion", "created": 0, "model": reply.model,
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": reason}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    })
}

/// The same in events.
pub(super) fn events(reply: &Reply) -> Vec<Event> {
    let chunk = |delta: Value, reason: Option<&str>| {
        Event::plain(json!({
            "id": format!("chatcmpl-{}", reply.turn), "object": "chat.completion.chunk", "created": 0,
            "model": reply.model, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        }))
    };
    let mut events = vec![chunk(json!({"role": "assistant", "content": null}), None)];
    events.extend(pieces(&reply.text).iter().map(|piece| chunk(json!({"content": piece}), None)));
    for (i, (tool, args)) in reply.calls.iter().enumerate() {
        let function = json!({"name": tool.name, "arguments": ""});
        let start = json!({"index": i, "id": reply.id("call_", i), "type": "function", "function": function});
        events.push(chunk(json!({"tool_calls": [start]}), None));
        for piece in pieces(&args.to_string()) {
            let more = json!({"index": i, "function": {"arguments": piece}});
            events.push(chunk(json!({"tool_calls": [more]}), None));
        }
    }
    events.push(chunk(json!({}), Some(if reply.calls.is_empty() { "stop" } else { "tool_calls" })));
    events.push(Event::plain("[DONE]"));
    events
}

/// A failure.
pub(super) fn error(status: u16, message: &str) -> Value {
    let kind = if status == 400 { "invalid_request_error" } else { "server_error" };
    json!({"error": {"message": message, "type": kind, "param": null, "code": null}})
}
