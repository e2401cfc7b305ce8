//! Replies that come in pieces: what was told as ready is in the reply just so, and nothing of what a server sends is lost.
//! (dialects.md §8)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use serde_json::{Value, json};
use tool_core::dialect::{Decoded, Dialect as _, DialectId, ModelCall, PlanOptions, StreamEvent};

/// What is said of a call: its id and its arguments.
type Said = (String, Option<Value>);

fn said(call: &ModelCall) -> Said {
    (call.id.clone(), call.args.as_ref().ok().cloned())
}

/// The calls that each event makes ready, and the reply.
fn streamed(dialect: DialectId, events: &[Value]) -> (Vec<Vec<Said>>, Decoded) {
    let plan = dialect.plan(&[], &PlanOptions::default()).unwrap();
    let mut assembler = dialect.assembler(&plan, 0);
    let ready = |told| match told {
        StreamEvent::CallReady(call) => Some(said(&call)),
        _ => None,
    };
    let told = events.iter().map(|event| assembler.feed(event).into_iter().filter_map(ready).collect());
    (told.collect(), assembler.finish().unwrap())
}

fn calls(reply: &Decoded) -> Vec<Said> {
    reply.calls.iter().map(said).collect()
}

fn call(id: &str, arguments: &Value) -> Said {
    (id.to_owned(), Some(arguments.clone()))
}

/// An item of Responses that is done.
fn done(index: Option<u64>, id: &str, arguments: &str) -> Value {
    let item = json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": "look", "arguments": arguments});
    let mut event = json!({"type": "response.output_item.done", "item": item});
    if let Some(index) = index {
        event["output_index"] = index.into();
    }
    event
}

#[test]
fn an_item_that_is_done_does_not_change() {
    let (a, b) = (json!({"path": "a"}), json!({"path": "b"}));
    let first = done(Some(0), "t1", r#"{"path":"a"}"#);
    for after in [
        done(Some(0), "t1", r#"{"path":"b"}"#),
        json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "}"}),
        json!({"type": "response.function_call_arguments.done", "output_index": 0, "arguments": "{}"}),
        json!({"type": "response.completed", "response": {"status": "completed", "output": []}}),
        json!({"type": "response.completed", "response": {"status": "completed", "output": [{"type": "message", "content": []}]}}),
        json!({"type": "response.completed", "response": {"status": "completed", "output": [done(None, "t1", "{}")["item"]]}}),
    ] {
        let (ready, reply) = streamed(DialectId::OpenAiResponses, &[first.clone(), after.clone()]);
        assert_eq!(
            (ready, calls(&reply)),
            (vec![vec![call("t1", &a)], vec![]], vec![call("t1", &a)]),
            "{after}"
        );
    }
    let (ready, reply) =
        streamed(DialectId::OpenAiResponses, &[first, done(Some(1), "t2", r#"{"path":"b"}"#)]);
    assert_eq!(ready, [[call("t1", &a)], [call("t2", &b)]]);
    assert_eq!(calls(&reply), [call("t1", &a), call("t2", &b)]);
}

/// The final event is the reply where it holds what was ready.
#[test]
fn the_final_event_has_what_no_other_had() {
    let output = [
        done(None, "t1", "{}")["item"].clone(),
        done(None, "t2", "{}")["item"].clone(),
        json!({"type": "reasoning", "encrypted_content": "x"}),
    ];
    let last = json!({"type": "response.completed", "response": {"status": "completed", "output": output}});
    let (ready, reply) = streamed(DialectId::OpenAiResponses, &[done(Some(0), "t1", "{}"), last]);
    assert_eq!(ready, [vec![call("t1", &json!({}))], vec![]]);
    assert_eq!(calls(&reply), [call("t1", &json!({})), call("t2", &json!({}))]);
    assert_eq!(reply.echo, json!(output));
}

/// A server that leaves `output_index` out sends one item after the other; some send one twice.
#[test]
fn items_without_an_index_are_kept_apart() {
    let events = [done(None, "t1", "{}"), done(None, "t1", "{}"), done(None, "t2", "{}")];
    let (ready, reply) = streamed(DialectId::OpenAiResponses, &events);
    assert_eq!(ready, [vec![call("t1", &json!({}))], vec![], vec![call("t2", &json!({}))]]);
    assert_eq!(calls(&reply).len(), 2);
}

fn chat(index: u64, id: &str, arguments: &str) -> Value {
    let mut piece = json!({"index": index, "function": {"arguments": arguments}});
    if !id.is_empty() {
        piece["id"] = id.into();
        piece["function"]["name"] = "look".into();
    }
    json!({"choices": [{"delta": {"tool_calls": [piece]}}]})
}

fn end(reason: &str) -> Value {
    json!({"choices": [{"delta": {}, "finish_reason": reason}]})
}

#[test]
fn the_pieces_of_two_calls_may_come_in_turn() {
    let events = [
        chat(0, "t1", r#"{"path":"#),
        chat(1, "t2", r#"{"path""#),
        chat(0, "", r#""a"}"#),
        chat(1, "", r#":"b"}"#),
        end("tool_calls"),
    ];
    let (ready, reply) = streamed(DialectId::OpenAiChat, &events);
    let both = [call("t1", &json!({"path": "a"})), call("t2", &json!({"path": "b"}))];
    assert_eq!(ready.concat(), both);
    assert_eq!(ready.last().unwrap().len(), 2, "neither was known to be whole before the end");
    assert_eq!(calls(&reply), both);
}

#[test]
fn a_call_is_ready_when_the_next_begins_and_takes_no_more() {
    let events = [
        chat(0, "t1", r#"{"path":"a"}"#),
        chat(1, "t2", "{}"),
        chat(0, "", "}"),
        end("tool_calls"),
        chat(1, "", "}"),
    ];
    let (ready, reply) = streamed(DialectId::OpenAiChat, &events);
    let (first, second) = (call("t1", &json!({"path": "a"})), call("t2", &json!({})));
    assert_eq!(ready, [vec![], vec![first.clone()], vec![], vec![second.clone()], vec![]]);
    assert_eq!(calls(&reply), [first, second]);
}

#[test]
fn a_call_that_was_cut_off_is_not_ready() {
    for (reason, code) in [("length", "cut_off"), ("tool_calls", "malformed_json")] {
        let (ready, reply) = streamed(DialectId::OpenAiChat, &[chat(0, "t1", r#"{"path":"#), end(reason)]);
        assert_eq!(ready.concat(), []);
        assert_eq!(reply.calls[0].args.as_ref().unwrap_err().code_str(), code);
    }
    let (ready, _) = streamed(DialectId::OpenAiChat, &[chat(0, "t1", "{}"), end("length")]);
    assert_eq!(ready.concat(), [call("t1", &json!({}))]);
}

#[test]
fn a_block_that_is_closed_does_not_grow() {
    let block = |event: &str, more: Value| {
        let mut all = json!({"type": event, "index": 0});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let piece = |text: &str| {
        block("content_block_delta", json!({"delta": {"type": "input_json_delta", "partial_json": text}}))
    };
    let start = json!({"content_block": {"type": "tool_use", "id": "t1", "name": "look", "input": {}}});
    let events = [
        block("content_block_start", start),
        piece("{\"path\":"),
        piece("\"a\"}"),
        block("content_block_stop", json!({})),
        piece("}"),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ];
    let (ready, reply) = streamed(DialectId::Anthropic, &events);
    let whole = call("t1", &json!({"path": "a"}));
    assert_eq!(ready.concat(), std::slice::from_ref(&whole));
    assert_eq!(calls(&reply), [whole]);
}

#[test]
fn a_whole_call_is_ready_once() {
    let body = |path: &str| json!({"name": "look", "arguments": {"path": path}});
    let (ready, reply) = streamed(DialectId::Mcp20260728, &[body("a"), body("b")]);
    let first = call("call_0_0", &json!({"path": "a"}));
    assert_eq!(ready, [vec![first.clone()], vec![]]);
    assert_eq!(calls(&reply), [first]);
}
