//! The Responses API of OpenAI, as it answers and as it refuses.
//! <https://developers.openai.com/api/reference/responses>

use axum::http::HeaderMap;
use serde_json::{Value, json};

use super::asked::{Asked, Refusal, flag, keyed, kind, list, must, name, object, refuse, text, tokens};
use super::names::Names;
use super::openai_chat::{TOOLS, is_bearer, parameters};
use super::pairs::Pairs;
use super::reply::{Event, Reply, pieces};

const MEMBERS: &[&str] = &[
    "model",
    "input",
    "background",
    "client_metadata",
    "conversation",
    "include",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];

/// The longest name of a tool.
const NAME: usize = 64;

/// The least that `max_output_tokens` may be.
const OUTPUT: u64 = 16;

/// Reads a request, as strictly as the API does.
pub(super) fn read(headers: &HeaderMap, body: &Value) -> Result<Asked, Refusal> {
    keyed(is_bearer(headers))?;
    object(body, "body", MEMBERS)?;
    text(&body["model"], "model")?;
    if !body["max_output_tokens"].is_null() {
        tokens(&body["max_output_tokens"], "max_output_tokens", OUTPUT)?;
    }
    tools(&body["tools"], &mut Names::default(), "tools")?;
    let mut asked = Asked { stream: flag(&body["stream"], "stream")?, ..Asked::default() };
    if let Some(said) = body["input"].as_str() {
        asked.said(said);
        return Ok(asked);
    }
    let stored = body["store"] != false;
    let mut pairs = Pairs::default();
    // Items of one reply stand in a row; a thought is followed by what it led to.
    let (mut replying, mut thought) = (false, false);
    for (i, item) in list(&body["input"], "input")?.iter().enumerate() {
        let at = format!("input.{i}");
        let of_the_model = item["role"] == "assistant" || matches!(kind(item), "reasoning" | "function_call");
        must(!thought || of_the_model, || format!("{at}: `reasoning` without its following item"))?;
        let before = std::mem::replace(&mut thought, kind(item) == "reasoning");
        asked.replies += usize::from(of_the_model && !replying);
        replying = of_the_model;
        match kind(item) {
            "" | "message" => message(item, &at, &mut asked)?,
            "reasoning" => {
                must(stored || item["encrypted_content"].is_string(), || {
                    format!("{at}: `encrypted_content` is missing, and nothing is stored")
                })?;
                must(item["summary"].is_array(), || format!("{at}.summary: must be a list"))?;
            }
            "function_call" => {
                let id = item["id"].as_str().unwrap_or("fc_");
                must(id.starts_with("fc_"), || format!("{at}.id: must begin with `fc_`"))?;
                name(&item["name"], &at, NAME)?;
                must(item["arguments"].is_string(), || format!("{at}.arguments: must be a text"))?;
                // This server thinks before its first call of a turn: the thought must come back.
                let first = id.ends_with("_0");
                must(!first || before, || format!("{at}: `function_call` without its `reasoning` item"))?;
                pairs.call(text(&item["call_id"], &at)?)?;
            }
            "function_call_output" => {
                pairs.result(text(&item["call_id"], &at)?)?;
                asked.result = output(&item["output"], &at)?;
            }
            _ => {}
        }
    }
    pairs.settled("input")?;
    Ok(asked)
}

fn message(item: &Value, at: &str, asked: &mut Asked) -> Result<(), Refusal> {
    let own = item["role"] == "assistant";
    must(own || matches!(item["role"].as_str(), Some("user" | "system" | "developer")), || {
        format!("{at}.role: is unknown")
    })?;
    if let Some(said) = item["content"].as_str() {
        if item["role"] == "user" {
            asked.said(said);
        }
        return Ok(());
    }
    for (i, part) in list(&item["content"], &format!("{at}.content"))?.iter().enumerate() {
        let fits = match own {
            true => matches!(kind(part), "output_text" | "refusal"),
            false => matches!(kind(part), "input_text" | "input_image" | "input_file"),
        };
        must(fits, || format!("{at}.content.{i}: no part of type `{}` here", kind(part)))?;
        if item["role"] == "user" {
            asked.said(part["text"].as_str().unwrap_or(""));
        }
    }
    Ok(())
}

/// The text of a result.
fn output(output: &Value, at: &str) -> Result<String, Refusal> {
    if let Some(said) = output.as_str() {
        return Ok(said.to_owned());
    }
    let mut said = String::new();
    for part in list(output, &format!("{at}.output"))? {
        match kind(part) {
            "input_text" => said.push_str(part["text"].as_str().unwrap_or("")),
            "input_image" | "input_file" => {}
            other => return refuse(format!("{at}.output: no part of type `{other}`")),
        }
    }
    Ok(said)
}

fn tools(tools: &Value, names: &mut Names, at: &str) -> Result<(), Refusal> {
    let tools = tools.as_array().map(Vec::as_slice).unwrap_or_default();
    must(tools.len() <= TOOLS, || format!("{at}: more than {TOOLS}"))?;
    for (i, tool) in tools.iter().enumerate() {
        let at = format!("{at}.{i}");
        match kind(tool) {
            "function" => {
                let known = ["type", "name", "description", "parameters", "strict", "defer_loading"];
                object(tool, &at, &known)?;
                names.take(name(&tool["name"], &at, NAME)?)?;
                parameters(tool, &at)?;
            }
            "namespace" => {
                text(&tool["description"], &at)?;
                self::tools(&tool["tools"], &mut Names::default(), &at)?;
            }
            "" => return refuse(format!("{at}.type: is missing")),
            // What the provider runs itself.
            _ => {}
        }
    }
    Ok(())
}

/// The reply, whole.
pub(super) fn whole(reply: &Reply) -> Value {
    let mut output: Vec<Value> = Vec::new();
    if !reply.calls.is_empty() {
        output.push(
            json!({"type": "reasoning", "id": reply.id("rs_", 0), "summary": [], "encrypted_content": "…"}),
        );
    }
    if !reply.text.is_empty() {
        let part = json!({"type": "output_text", "text": reply.text, "annotations": []});
        output.push(
            json!({"type": "message", "id": reply.id("msg_", 0), "role": "assistant", "status": "completed",
            "content": [part]}),
        );
    }
    output.extend(reply.calls.iter().enumerate().map(|(i, (tool, args))| {
        let mut call = json!({"type": "function_call", "id": reply.id("fc_", i), "call_id": reply.id("call_", i),
            "name": tool.name, "arguments": args.to_string(), "status": "completed"});
        if let Some(namespace) = &tool.namespace {
            call["namespace"] = json!(namespace);
        }
        call
    }));
    json!({
        "id": format!("resp_{}", reply.turn), "object": "response", "created_at": 0, "status": "completed",
        "model": reply.model, "output": output, "error": null, "incomplete_details": null,
        "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
    })
}

/// The same in events.
pub(super) fn events(reply: &Reply) -> Vec<Event> {
    let whole = whole(reply);
    let mut begun = whole.clone();
    (begun["status"], begun["output"]) = (json!("in_progress"), json!([]));
    let mut events = vec![
        json!({"type": "response.created", "response": begun}),
        json!({"type": "response.in_progress", "response": begun}),
    ];
    for (at, item) in whole["output"].as_array().into_iter().flatten().enumerate() {
        let mut start = item.clone();
        let (id, mut pieced) = (&item["id"], Vec::new());
        match kind(item) {
            "function_call" => {
                start["arguments"] = json!("");
                let arguments = item["arguments"].as_str().unwrap_or("");
                pieced.extend(pieces(arguments).iter().map(|piece| {
                    json!({"type": "response.function_call_arguments.delta", "item_id": id, "output_index": at,
                        "delta": piece})
                }));
                pieced.push(json!({"type": "response.function_call_arguments.done", "item_id": id,
                    "output_index": at, "arguments": arguments}));
            }
            "message" => {
                start["content"] = json!([]);
                pieced.extend(pieces(&reply.text).iter().map(|piece| {
                    json!({"type": "response.output_text.delta", "item_id": id, "output_index": at,
                        "content_index": 0, "delta": piece})
                }));
            }
            _ => {}
        }
        events.push(json!({"type": "response.output_item.added", "output_index": at, "item": start}));
        events.extend(pieced);
        events.push(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
    }
    events.push(json!({"type": "response.completed", "response": whole}));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = number.into();
    }
    events.iter().map(Event::named).collect()
}
