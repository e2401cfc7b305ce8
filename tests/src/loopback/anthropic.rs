//! The Messages API of Anthropic, as it answers and as it refuses.
//! <https://platform.claude.com/docs/en/api/messages>

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
    "max_tokens",
    "container",
    "context_management",
    "mcp_servers",
    "metadata",
    "output_config",
    "service_tier",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
];

const TOOL_MEMBERS: &[&str] = &[
    "type",
    "name",
    "description",
    "input_schema",
    "strict",
    "input_examples",
    "defer_loading",
    "cache_control",
    "allowed_callers",
    "eager_input_streaming",
];

/// The longest name of a tool.
const NAME: usize = 128;

/// Reads a request, as strictly as the API does.
pub(super) fn read(headers: &HeaderMap, body: &Value) -> Result<Asked, Refusal> {
    keyed(headers.contains_key("x-api-key") || headers.contains_key("authorization"))?;
    must(headers.contains_key("anthropic-version"), || "anthropic-version: header is required".to_owned())?;
    if !headers.contains_key("anthropic-beta") {
        object(body, "body", MEMBERS)?;
    }
    text(&body["model"], "model")?;
    tokens(&body["max_tokens"], "max_tokens", 1)?;
    tools(&body["tools"])?;
    let mut asked = Asked { stream: flag(&body["stream"], "stream")?, ..Asked::default() };
    let mut pairs = Pairs::default();
    let messages = list(&body["messages"], "messages")?;
    for (i, message) in messages.iter().enumerate() {
        let at = format!("messages.{i}");
        object(message, &at, &["role", "content"])?;
        match message["role"].as_str() {
            Some("user") => told(&message["content"], &at, &mut asked, &mut pairs)?,
            Some("assistant") if i > 0 => answered(&message["content"], &at, &mut asked, &mut pairs)?,
            Some("assistant") => return refuse("messages: the first must have the role `user`"),
            _ => return refuse(format!("{at}.role: must be `user` or `assistant`")),
        }
    }
    let last = messages.last().map(|message| &message["role"]);
    must(last.is_some_and(|role| role == "user"), || {
        "messages: the last must have the role `user`".to_owned()
    })?;
    Ok(asked)
}

/// A user's message: results first, one for each call of the message before.
fn told(content: &Value, at: &str, asked: &mut Asked, pairs: &mut Pairs) -> Result<(), Refusal> {
    if let Some(said) = content.as_str() {
        pairs.settled(at)?;
        asked.said(text(content, at).map(|_| said)?);
        return Ok(());
    }
    let mut results = true;
    let mut all = Vec::new();
    for (i, block) in list(content, at)?.iter().enumerate() {
        let at = format!("{at}.content.{i}");
        match kind(block) {
            "tool_result" => {
                must(results, || format!("{at}: results come before everything else"))?;
                pairs.result(text(&block["tool_use_id"], &at)?)?;
                all.push(result(block, &at)?);
            }
            "text" => {
                results = false;
                asked.said(text(&block["text"], &at)?);
            }
            "image" => image(block, &at)?,
            "document" => {}
            other => return refuse(format!("{at}: a user has no block of type `{other}`")),
        }
    }
    pairs.settled(at)?;
    if !all.is_empty() {
        asked.result = all.pop().unwrap_or_default();
    }
    Ok(())
}

/// The text of a result.
fn result(block: &Value, at: &str) -> Result<String, Refusal> {
    object(block, at, &["type", "tool_use_id", "content", "is_error", "cache_control"])?;
    let failed = flag(&block["is_error"], at)?;
    if let Some(said) = block["content"].as_str() {
        return Ok(said.to_owned());
    }
    let mut said = String::new();
    for (i, part) in block["content"].as_array().into_iter().flatten().enumerate() {
        let at = format!("{at}.content.{i}");
        match kind(part) {
            "text" => said.push_str(text(&part["text"], &at)?),
            _ if failed => return refuse(format!("{at}: an error is told in text")),
            "image" => image(part, &at)?,
            "document" | "search_result" | "tool_reference" => {}
            other => return refuse(format!("{at}: a result has no block of type `{other}`")),
        }
    }
    must(!failed || !said.is_empty(), || format!("{at}: an error must say something"))?;
    Ok(said)
}

fn image(block: &Value, at: &str) -> Result<(), Refusal> {
    let types = ["image/jpeg", "image/png", "image/gif", "image/webp"];
    let media = block["source"]["media_type"].as_str().unwrap_or("");
    let inline = kind(&block["source"]) == "base64";
    must(!inline || types.contains(&media), || format!("{at}: `{media}` is no image"))
}

/// A reply of the model, sent back.
fn answered(content: &Value, at: &str, asked: &mut Asked, pairs: &mut Pairs) -> Result<(), Refusal> {
    pairs.settled(at)?;
    asked.replies += 1;
    if content.is_string() {
        return text(content, at).map(|_| ());
    }
    for (i, block) in list(content, at)?.iter().enumerate() {
        let at = format!("{at}.content.{i}");
        match kind(block) {
            "text" => {
                text(&block["text"], &at)?;
            }
            "tool_use" => {
                pairs.call(name(&block["id"], &at, NAME)?)?;
                name(&block["name"], &at, NAME)?;
                must(block["input"].is_object(), || format!("{at}.input: must be an object"))?;
            }
            "thinking" => {
                text(&block["signature"], &at)?;
            }
            "" => return refuse(format!("{at}.type: is missing")),
            _ => {}
        }
    }
    Ok(())
}

fn tools(tools: &Value) -> Result<(), Refusal> {
    let mut names = Names::default();
    let mut strict = Vec::new();
    let tools = tools.as_array().map(Vec::as_slice).unwrap_or_default();
    for (i, tool) in tools.iter().enumerate() {
        let at = format!("tools.{i}");
        names.take(name(&tool["name"], &at, NAME)?)?;
        if !matches!(kind(tool), "" | "custom") {
            continue;
        }
        object(tool, &at, TOOL_MEMBERS)?;
        let input = &tool["input_schema"];
        schema::loose(input, &at)?;
        for example in tool["input_examples"].as_array().into_iter().flatten() {
            must(example.is_object(), || format!("{at}.input_examples: must be objects"))?;
        }
        if flag(&tool["strict"], &at)? {
            strict.push((input, at));
        }
    }
    let all_later = !tools.is_empty() && tools.iter().all(|tool| tool["defer_loading"] == true);
    must(!all_later, || "tools: at least one must not be deferred".to_owned())?;
    schema::anthropic(&strict)
}

/// The reply, whole.
pub(super) fn whole(reply: &Reply) -> Value {
    let mut content: Vec<Value> = Vec::new();
    if !reply.text.is_empty() {
        content.push(json!({"type": "text", "text": reply.text}));
    }
    content.extend(reply.calls.iter().enumerate().map(
        |(i, (tool, args))| json!({"type": "tool_use", "id": reply.id("toolu_", i), "name": tool.name, "input": args}),
    ));
    let reason = if reply.calls.is_empty() { "end_turn" } else { "tool_use" };
    json!({
        "id": format!("msg_{}", reply.turn), "type": "message", "role": "assistant", "model": reply.model,
        "content": content, "stop_reason": reason, "stop_sequence": null,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    })
}

/// The same in events.
pub(super) fn events(reply: &Reply) -> Vec<Event> {
    let whole = whole(reply);
    let mut start = whole.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": start}), json!({"type": "ping"})];
    for (i, block) in whole["content"].as_array().into_iter().flatten().enumerate() {
        let mut start = block.clone();
        let (key, empty, delta, all) = match kind(block) {
            "text" => ("text", json!(""), "text_delta", block["text"].as_str().unwrap_or("").to_owned()),
            _ => ("input", json!({}), "input_json_delta", block["input"].to_string()),
        };
        start[key] = empty;
        let grows = if key == "text" { "text" } else { "partial_json" };
        events.push(json!({"type": "content_block_start", "index": i, "content_block": start}));
        for piece in pieces(&all) {
            events.push(
                json!({"type": "content_block_delta", "index": i, "delta": {"type": delta, grows: piece}}),
            );
        }
        events.push(json!({"type": "content_block_stop", "index": i}));
    }
    let delta = json!({"stop_reason": whole["stop_reason"], "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}}));
    events.push(json!({"type": "message_stop"}));
    events.iter().map(Event::named).collect()
}

/// A failure.
pub(super) fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": message}})
}
