//! Gemini's `generateContent`, as it answers and as it refuses.
//! <https://ai.google.dev/api/generate-content>, <https://ai.google.dev/gemini-api/docs/thought-signatures>

use axum::http::HeaderMap;
use serde_json::{Value, json};

use super::asked::{Asked, Refusal, keyed, list, must, object, refuse, text, tokens};
use super::names::Names;
use super::reply::{Event, Reply, pieces};
use super::schema;

const MEMBERS: &[&str] = &[
    "model",
    "contents",
    "tools",
    "toolConfig",
    "safetySettings",
    "systemInstruction",
    "generationConfig",
    "cachedContent",
];

const PART_MEMBERS: &[&str] = &[
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "thought",
    "thoughtSignature",
    "videoMetadata",
];

/// The most tools of a request, the longest name, and the most that all `maxItems` may add up to.
const TOOLS: usize = 512;
const NAME: usize = 64;
const ITEMS: u64 = 900;

/// Reads a request, as strictly as the API does.
pub(super) fn read(headers: &HeaderMap, body: &Value) -> Result<Asked, Refusal> {
    keyed(headers.get("x-goog-api-key").is_some_and(|key| !key.is_empty()))?;
    object(body, "body", MEMBERS)?;
    if !body["generationConfig"]["maxOutputTokens"].is_null() {
        tokens(&body["generationConfig"]["maxOutputTokens"], "generationConfig.maxOutputTokens", 1)?;
    }
    tools(&body["tools"])?;
    let mut asked = Asked::default();
    // The calls of the turn before, by name and id.
    let mut calls: Vec<(String, Value)> = Vec::new();
    for (i, content) in list(&body["contents"], "contents")?.iter().enumerate() {
        let at = format!("contents.{i}");
        object(content, &at, &["role", "parts"])?;
        let parts = list(&content["parts"], &format!("{at}.parts"))?;
        let own = match content["role"].as_str() {
            Some("model") if i > 0 => true,
            Some("user" | "function") => false,
            _ => return refuse(format!("{at}.role: must be `user` or `model`, and the first `user`")),
        };
        asked.replies += usize::from(own);
        let (mut now, mut answers) = (Vec::new(), 0);
        for (j, part) in parts.iter().enumerate() {
            let at = format!("{at}.parts.{j}");
            object(part, &at, PART_MEMBERS)?;
            if let Some(call) = part.get("functionCall") {
                must(own, || format!("{at}: a call is the model's"))?;
                must(call["args"].is_object() || call["args"].is_null(), || {
                    format!("{at}: `args` must be an object")
                })?;
                must(!now.is_empty() || part["thoughtSignature"].is_string(), || {
                    format!("{at}: function call is missing a thought_signature")
                })?;
                now.push((text(&call["name"], &at)?.to_owned(), call["id"].clone()));
            } else if let Some(response) = part.get("functionResponse") {
                must(!own, || format!("{at}: a response is the user's"))?;
                asked.result = answer(response, &at, &calls)?;
                answers += 1;
            } else if let Some(said) = part["text"].as_str() {
                let signed = part["thoughtSignature"].is_string();
                must(signed || !said.is_empty(), || format!("{at}: has an empty text parameter"))?;
                if !own {
                    asked.said(said);
                }
            }
        }
        must(own || answers == calls.len(), || {
            format!("{at}: the number of function responses must be the number of calls, {}", calls.len())
        })?;
        must(!own || calls.is_empty(), || format!("{at}: calls without their results"))?;
        calls = now;
    }
    must(calls.is_empty(), || "contents: calls without their results".to_owned())?;
    Ok(asked)
}

/// The text of a result.
fn answer(response: &Value, at: &str, calls: &[(String, Value)]) -> Result<String, Refusal> {
    object(response, at, &["id", "name", "response", "parts", "willContinue", "scheduling"])?;
    let name = text(&response["name"], at)?;
    let known =
        calls.iter().any(|call| call.0 == name && (response["id"].is_null() || call.1 == response["id"]));
    must(known, || format!("{at}: a result without its call: `{name}`"))?;
    must(response["response"].is_object(), || format!("{at}.response: must be an object"))?;
    for part in response["parts"].as_array().into_iter().flatten() {
        let types = ["image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"];
        let media = part["inlineData"]["mimeType"].as_str().unwrap_or("");
        must(types.contains(&media), || format!("{at}.parts: `{media}` is not supported"))?;
    }
    let told = match &response["response"]["output"] {
        Value::Null => &response["response"],
        output => output,
    };
    Ok(told.as_str().map_or_else(|| told.to_string(), str::to_owned))
}

fn tools(tools: &Value) -> Result<(), Refusal> {
    let (mut names, mut count, mut items) = (Names::default(), 0, 0_u64);
    for (i, tool) in tools.as_array().into_iter().flatten().enumerate() {
        for (j, function) in tool["functionDeclarations"].as_array().into_iter().flatten().enumerate() {
            let at = format!("tools.{i}.functionDeclarations.{j}");
            let known = [
                "name",
                "description",
                "behavior",
                "parameters",
                "parametersJsonSchema",
                "response",
                "responseJsonSchema",
            ];
            object(function, &at, &known)?;
            let name = text(&function["name"], &at)?;
            must(is_name(name), || format!("{at}: `{name}` is no name"))?;
            names.take(name)?;
            text(&function["description"], &at)?;
            let schema = &function["parametersJsonSchema"];
            must(schema.is_null() || function["parameters"].is_null(), || format!("{at}: has two schemas"))?;
            if !schema.is_null() {
                schema::loose(schema, &at)?;
                let mut parameters = schema["properties"].as_object().into_iter().flatten();
                let odd = parameters.find(|parameter| !is_name(parameter.0));
                must(odd.is_none(), || format!("{at}: a parameter has no name: {odd:?}"))?;
            }
            items = items.saturating_add(schema::max_items(schema));
            count += 1;
        }
    }
    must(count <= TOOLS, || format!("tools: more than {TOOLS}"))?;
    must(items <= ITEMS, || format!("tools: all `maxItems` add up to {items}, more than {ITEMS}"))
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    first && name.len() <= NAME && name.chars().all(fits)
}

/// The parts of a reply; the first call is signed.
fn parts(reply: &Reply) -> Vec<Value> {
    let calls = reply.calls.iter().enumerate().map(|(i, (tool, args))| {
        let mut part = json!({"functionCall": {"id": reply.id("call_", i), "name": tool.name, "args": args}});
        if i == 0 {
            part["thoughtSignature"] = json!("c2lnbmVk");
        }
        part
    });
    let said = pieces(&reply.text).into_iter().map(|piece| json!({"text": piece}));
    said.chain(calls).collect()
}

fn body(reply: &Reply, parts: &[Value], reason: Option<&str>) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let Some(reason) = reason {
        candidate["finishReason"] = json!(reason);
    }
    json!({"candidates": [candidate], "modelVersion": reply.model, "responseId": reply.id("resp_", 0),
        "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 2}})
}

/// The reply, whole.
pub(super) fn whole(reply: &Reply) -> Value {
    body(reply, &parts(reply), Some("STOP"))
}

/// The same in events.
pub(super) fn events(reply: &Reply) -> Vec<Event> {
    let mut events: Vec<Value> =
        parts(reply).iter().map(|part| body(reply, std::slice::from_ref(part), None)).collect();
    events.push(body(reply, &[json!({"text": ""})], Some("STOP")));
    events.iter().map(Event::plain).collect()
}

/// A failure.
pub(super) fn error(status: u16, message: &str) -> Value {
    let name = match status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        429 => "RESOURCE_EXHAUSTED",
        _ => "UNAVAILABLE",
    };
    json!({"error": {"code": status, "message": message, "status": name}})
}
