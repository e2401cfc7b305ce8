//! Each API takes a conversation that is right, and refuses it once one thing about it is wrong.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::{ANTHROPIC, Api, GEMINI, OPENAI_CHAT, OPENAI_RESPONSES};

fn schema() -> Value {
    json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false})
}

fn headers(names: &[(&'static str, &'static str)]) -> HeaderMap {
    names
        .iter()
        .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
        .collect()
}

/// A change of a request: what stands at a pointer becomes this, and the reason has these words.
type Wrong = (&'static str, Value, &'static str);

/// The request is taken; and refused with 400 after each change of it.
fn judged(api: &Api, headers: &HeaderMap, body: &Value, changes: &[Wrong]) {
    let asked =
        (api.read)(headers, body).unwrap_or_else(|refusal| panic!("{}: {}", api.name, refusal.reason));
    assert_eq!((asked.replies, asked.result.as_str()), (1, "one"), "{}", api.name);
    assert!(asked.prompt.contains("Go."), "{}", api.name);
    for (at, value, reason) in changes {
        let mut wrong = body.clone();
        let (parent, name) = at.rsplit_once('/').unwrap();
        match wrong.pointer_mut(parent).unwrap() {
            Value::Object(members) if value.is_null() => {
                members.remove(name).unwrap();
            }
            Value::Object(members) => {
                members.insert(name.to_owned(), value.clone());
            }
            Value::Array(items) if value.is_null() => {
                items.remove(name.parse().unwrap());
            }
            Value::Array(items) => items.insert(name.parse().unwrap(), value.clone()),
            _ => panic!("{at} leads nowhere"),
        }
        match (api.read)(headers, &wrong) {
            Ok(_) => panic!("{}: {at} = {value} was taken", api.name),
            Err(refusal) => {
                assert_eq!(refusal.status, 400, "{}: {at}", api.name);
                assert!(refusal.reason.contains(reason), "{}: {at} = {value}: {}", api.name, refusal.reason);
            }
        }
    }
}

fn no_key(api: &Api, body: &Value) {
    let refusal = (api.read)(&headers(&[("anthropic-version", "2023-06-01")]), body).unwrap_err();
    assert_eq!(refusal.status, 401, "{}", api.name);
}

#[test]
fn anthropic() {
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "say", "input": {"a": "x"}});
    let result = json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "one"}]});
    let body = json!({
        "model": "m", "max_tokens": 100, "stream": true,
        "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ],
        "tools": [{"name": "say", "description": "Says.", "input_schema": schema(), "strict": true}],
    });
    let right = headers(&[("x-api-key", "k"), ("anthropic-version", "2023-06-01")]);
    let second = body["tools"][0].clone();
    let text = json!({"type": "text", "text": "Hm."});
    let long = "x".repeat(129);
    judged(
        &ANTHROPIC,
        &right,
        &body,
        &[
            ("/model", Value::Null, "model"),
            ("/max_tokens", Value::Null, "max_tokens"),
            ("/max_tokens", json!(0), "max_tokens"),
            ("/n", json!(1), "unknown member `n`"),
            ("/stream", json!("yes"), "stream"),
            ("/messages", json!([]), "messages"),
            ("/messages/0", Value::Null, "the first must have the role `user`"),
            ("/messages/2", Value::Null, "the last must have the role `user`"),
            ("/messages/1", Value::Null, "a result without its call"),
            ("/messages/2", json!({"role": "user", "content": "Well?"}), "calls without their results"),
            ("/messages/2/content/0", text, "results come before everything else"),
            ("/messages/2/content/1", result.clone(), "a result without its call"),
            ("/messages/2/content/0/tool_use_id", json!("toolu_2"), "a result without its call"),
            ("/messages/2/content/0/content/0/text", json!(""), "not empty"),
            ("/messages/2/content/0/is_error", json!("no"), "true or false"),
            ("/messages/2/content/0/name", json!("say"), "unknown member `name`"),
            ("/messages/1/content", json!([]), "a list with an element"),
            ("/messages/1/content/1", call.clone(), "unique"),
            ("/messages/1/content/0/input", json!("{}"), "must be an object"),
            ("/messages/1/content/0/id", json!("a.b"), "no name"),
            ("/messages/0/role", json!("system"), "`user` or `assistant`"),
            ("/tools/1", second, "names must be unique"),
            ("/tools/0/name", json!("a b"), "no name"),
            ("/tools/0/name", json!(long), "no name"),
            ("/tools/0/parameters", json!({}), "unknown member `parameters`"),
            ("/tools/0/input_schema/type", json!("string"), "type object"),
            ("/tools/0/input_schema/anyOf", json!([]), "not permitted at the root"),
            ("/tools/0/input_schema/additionalProperties", Value::Null, "additionalProperties"),
            ("/tools/0/input_schema/properties/a/minLength", json!(1), "`minLength`"),
            ("/tools/0/defer_loading", json!(true), "must not be deferred"),
        ],
    );
    no_key(&ANTHROPIC, &body);
    let refusal = (ANTHROPIC.read)(&headers(&[("x-api-key", "k")]), &body).unwrap_err();
    assert!(refusal.reason.contains("anthropic-version"));
}

#[test]
fn openai_chat() {
    let call = json!({"id": "call_1", "type": "function", "function": {"name": "say", "arguments": "{}"}});
    let body = json!({
        "model": "m", "max_completion_tokens": 100,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": null, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": "one"},
        ],
        "tools": [{"type": "function", "function": {"name": "say", "parameters": schema(), "strict": true}}],
    });
    let second = body["tools"][0].clone();
    let many: Vec<Value> =
        (0..129).map(|i| json!({"type": "function", "function": {"name": format!("say_{i}")}})).collect();
    judged(
        &OPENAI_CHAT,
        &headers(&[("authorization", "Bearer k")]),
        &body,
        &[
            ("/model", json!(""), "model"),
            ("/max_completion_tokens", json!("many"), "max_completion_tokens"),
            ("/contents", json!([]), "unknown member `contents`"),
            ("/messages/3", Value::Null, "calls without their results"),
            ("/messages/2", Value::Null, "a result without its call"),
            ("/messages/3", json!({"role": "user", "content": "Well?"}), "calls without their results"),
            ("/messages/3/tool_call_id", json!("call_2"), "a result without its call"),
            ("/messages/3/name", json!("say"), "unknown member `name`"),
            ("/messages/3/content", json!([{"type": "image", "data": ""}]), "no part of type `image`"),
            ("/messages/2/tool_calls", Value::Null, "must not be null"),
            ("/messages/2/tool_calls", json!([]), "a list with an element"),
            ("/messages/2/tool_calls/0/type", Value::Null, "`function`"),
            ("/messages/2/tool_calls/0/id", json!("x".repeat(41)), "longer than"),
            ("/messages/2/tool_calls/0/function/arguments", json!({}), "must be a text"),
            ("/messages/0/role", json!("model"), "is unknown"),
            ("/tools", json!([]), "a list with an element"),
            ("/tools", json!(many), "more than 128"),
            ("/tools/1", second, "names must be unique"),
            ("/tools/0/name", json!("say"), "unknown member `name`"),
            ("/tools/0/function/name", json!("a.b"), "no name"),
            ("/tools/0/function/parameters/required", json!([]), "every property"),
            ("/tools/0/function/parameters/properties/a/default", json!(""), "`default`"),
        ],
    );
    no_key(&OPENAI_CHAT, &body);
}

#[test]
fn openai_responses() {
    let call = json!({"type": "function_call", "id": "fc_0_0", "call_id": "call_1", "name": "say", "arguments": "{}"});
    let body = json!({
        "model": "m", "max_output_tokens": 100, "store": false, "include": ["reasoning.encrypted_content"],
        "input": [
            {"role": "user", "content": "Go."},
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "…"},
            call,
            {"type": "function_call_output", "call_id": "call_1", "output": "one"},
        ],
        "tools": [{"type": "function", "name": "say", "parameters": schema(), "strict": true}],
    });
    let second = body["tools"][0].clone();
    judged(
        &OPENAI_RESPONSES,
        &headers(&[("authorization", "Bearer k")]),
        &body,
        &[
            ("/max_output_tokens", json!(15), "max_output_tokens"),
            ("/max_tokens", json!(100), "unknown member `max_tokens`"),
            ("/input/3", Value::Null, "calls without their results"),
            ("/input/2", Value::Null, "without its following item"),
            ("/input/1", Value::Null, "without its `reasoning` item"),
            ("/input/1/encrypted_content", Value::Null, "`encrypted_content` is missing"),
            ("/input/2/id", json!("call_1"), "must begin with `fc_`"),
            ("/input/2/arguments", json!({}), "must be a text"),
            ("/input/3/call_id", json!("call_2"), "a result without its call"),
            ("/input/3/output", json!([{"type": "text", "text": "one"}]), "no part of type `text`"),
            ("/input/0/content", json!([{"type": "text", "text": "Go."}]), "no part of type `text`"),
            ("/tools/1", second, "names must be unique"),
            ("/tools/0/type", Value::Null, "type: is missing"),
            ("/tools/0/function", json!({}), "unknown member `function`"),
            ("/tools/0/parameters/required", Value::Null, "every property"),
        ],
    );
    no_key(&OPENAI_RESPONSES, &body);
}

#[test]
fn gemini() {
    let call = json!({"functionCall": {"id": "c1", "name": "say", "args": {}}, "thoughtSignature": "c2ln"});
    let answer = json!({"functionResponse": {"id": "c1", "name": "say", "response": {"output": "one"}}});
    let body = json!({
        "contents": [
            {"role": "user", "parts": [{"text": "Go."}]},
            {"role": "model", "parts": [call]},
            {"role": "user", "parts": [answer]},
        ],
        "generationConfig": {"maxOutputTokens": 100},
        "tools": [{"functionDeclarations": [{"name": "say", "description": "Says.", "parametersJsonSchema": schema()}]}],
    });
    let second = body["tools"][0]["functionDeclarations"][0].clone();
    let list = json!({"type": "array", "items": {"type": "string"}, "maxItems": 901});
    judged(
        &GEMINI,
        &headers(&[("x-goog-api-key", "k")]),
        &body,
        &[
            ("/messages", json!([]), "unknown member `messages`"),
            ("/contents/2", Value::Null, "calls without their results"),
            ("/contents/1", Value::Null, "a result without its call"),
            ("/contents/0", Value::Null, "the first `user`"),
            ("/contents/0/role", json!("assistant"), "`user` or `model`"),
            ("/contents/1/parts", json!([]), "a list with an element"),
            ("/contents/1/parts/0/thoughtSignature", Value::Null, "thought_signature"),
            ("/contents/1/parts/0/input", json!({}), "unknown member `input`"),
            ("/contents/1/parts/0", json!({"text": ""}), "an empty text parameter"),
            ("/contents/2/parts/1", json!({"text": ""}), "an empty text parameter"),
            ("/contents/2/parts/1", answer.clone(), "must be the number of calls"),
            ("/contents/2/parts/0/functionResponse/name", json!("other"), "a result without its call"),
            ("/contents/2/parts/0/functionResponse/id", json!("c2"), "a result without its call"),
            ("/contents/2/parts/0/functionResponse/response", json!("one"), "must be an object"),
            ("/tools/0/functionDeclarations/1", second, "names must be unique"),
            ("/tools/0/functionDeclarations/0/name", json!("1st"), "no name"),
            ("/tools/0/functionDeclarations/0/description", Value::Null, "not empty"),
            ("/tools/0/functionDeclarations/0/parameters", json!({}), "two schemas"),
            ("/tools/0/functionDeclarations/0/strict", json!(true), "unknown member `strict`"),
            ("/tools/0/functionDeclarations/0/parametersJsonSchema/properties/a b", json!({}), "no name"),
            ("/tools/0/functionDeclarations/0/parametersJsonSchema/properties/b", list, "add up to 901"),
        ],
    );
    no_key(&GEMINI, &body);
}
