//! Replies that come in pieces: what was told as ready is in the reply just so, and nothing of what a server sends is lost.
//! (dialects.md §8)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use serde_json::{Value, json};
use tool_core::dialect::{Decoded, Dialect as _, DialectId, ModelCall, PlanOptions, Stop, StreamEvent};

mod items;
mod visible;
mod whole;

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

/// Some servers leave `output_index` out, or give items the same; some tell an item twice, or all that are done at the end.
#[test]
fn items_are_told_apart_by_their_ids() {
    for index in [None, Some(0)] {
        let event = |kind: &str, more: Value| {
            let mut event = json!({"type": format!("response.{kind}"), "output_index": index});
            event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            event
        };
        let piece = |id: &str, text: &str| {
            event("function_call_arguments.delta", json!({"item_id": format!("fc_{id}"), "delta": text}))
        };
        let added = |id: &str| event("output_item.added", json!({"item": done(None, id, "")["item"]}));
        let says = |text: &str| json!({"type": "message", "id": "m", "content": text.split_terminator('|').map(|text| json!({"type": "output_text", "text": text})).collect::<Value>()});
        let output = [
            says("Hi"),
            done(None, "t1", r#"{"n":1}"#)["item"].clone(),
            done(None, "t2", r#"{"n":2}"#)["item"].clone(),
        ];
        let mut events = vec![
            event("output_item.added", json!({"item": says("")})),
            event("output_text.delta", json!({"item_id": "m", "delta": "Hi"})),
            added("t1"),
            piece("t1", r#"{"n":"#),
            added("t2"),
            added("t1"),
            piece("t2", r#"{"n":2}"#),
            piece("t1", "1}"),
        ];
        let ends = |item: &Value| event("output_item.done", json!({"item": item}));
        events.extend(output.iter().chain(&output).map(ends));
        for last in [None, Some(json!([])), Some(json!(output))] {
            let mut events = events.clone();
            events.extend(last.map(|output| json!({"type": "response.completed", "response": {"status": "completed", "output": output}})));
            let (ready, reply) = streamed(DialectId::OpenAiResponses, &events);
            let both = [call("t1", &json!({"n": 1})), call("t2", &json!({"n": 2}))];
            assert_eq!(ready.concat(), both, "{index:?}");
            assert_eq!((calls(&reply), reply.text.as_str()), (both.to_vec(), "Hi"), "{index:?}");
            assert_eq!(reply.echo, json!(output), "{index:?}");
        }
    }
}

fn added(index: u64, item: &Value) -> Value {
    json!({"type": "response.output_item.added", "output_index": index, "item": item})
}

fn completed(output: &[Value]) -> Value {
    json!({"type": "response.completed", "response": {"status": "completed", "output": output}})
}

/// What came is in the reply where the final event has less.
#[test]
fn what_began_and_was_not_done_is_not_lost() {
    let message = json!({"type": "message", "id": "m", "role": "assistant", "content": []});
    let said =
        json!({"type": "response.output_text.delta", "output_index": 0, "item_id": "m", "delta": "Hi"});
    let open = done(None, "t1", "")["item"].clone();
    let whole =
        json!({"type": "response.function_call_arguments.done", "output_index": 0, "arguments": "{\"n\":1}"});
    let called = done(Some(0), "t2", "{}");
    for (events, text, ids) in [
        (vec![added(0, &open), whole, completed(&[])], "", vec!["t1"]),
        (vec![added(0, &message), said.clone(), completed(&[])], "Hi", vec![]),
        (
            vec![added(0, &message), said, called.clone(), completed(&[called["item"].clone()])],
            "Hi",
            vec!["t2"],
        ),
    ] {
        let (_, reply) = streamed(DialectId::OpenAiResponses, &events);
        let told: Vec<String> = calls(&reply).into_iter().map(|call| call.0).collect();
        assert_eq!(
            (reply.text.as_str(), told),
            (text, ids.into_iter().map(str::to_owned).collect()),
            "{events:?}"
        );
    }
}

/// Ids that several items share, or that change.
#[test]
fn items_that_share_an_id_are_two_where_all_else_differs() {
    let item = |kind: &str, id: &str, call: &str, arguments: &str| json!({"type": kind, "id": id, "call_id": call, "name": "look", "arguments": arguments});
    let ends = |index: u64, item: &Value| json!({"type": "response.output_item.done", "output_index": index, "item": item});
    let delta = |index: u64, id: &str, text: &str| json!({"type": "response.function_call_arguments.delta", "output_index": index, "item_id": id, "delta": text});
    for (about, items, count) in [
        (
            "the same call",
            [item("function_call", "f", "c", "{}"), item("function_call", "g", "c", "{\"n\":1}")],
            2,
        ),
        (
            "the same item",
            [item("function_call", "f", "c", "{}"), item("function_call", "f", "d", "{\"n\":1}")],
            2,
        ),
        ("another kind", [item("reasoning", "f", "", "{}"), item("function_call", "f", "d", "{}")], 1),
    ] {
        let [one, two] = &items;
        let blank = |item: &Value| {
            let mut item = item.clone();
            item["arguments"] = "".into();
            item
        };
        let told = |item: &Value| item["arguments"].as_str().unwrap().to_owned();
        let events = [
            added(0, &blank(one)),
            added(1, &blank(two)),
            delta(1, two["id"].as_str().unwrap(), &told(two)),
            ends(0, one),
            // Its arguments came in pieces alone.
            ends(1, &blank(two)),
            completed(&[]),
        ];
        let (ready, reply) = streamed(DialectId::OpenAiResponses, &events);
        assert_eq!(reply.calls.len(), count, "{about}");
        assert_eq!(ready.concat(), calls(&reply), "{about}");
        assert_eq!(reply.calls.last().unwrap().args.as_ref().unwrap().to_string(), told(two), "{about}");
    }
    // An id that is another one at the end.
    for last in [item("function_call", "g", "c", "{}"), item("function_call", "g", "d", "{}")] {
        let events =
            [added(0, &item("function_call", "f", "c", "")), ends(0, &last), ends(0, &last), completed(&[])];
        let (_, reply) = streamed(DialectId::OpenAiResponses, &events);
        assert_eq!(reply.echo, json!([last]));
    }
}

#[test]
fn a_call_that_the_final_event_renames_is_as_it_was_ready() {
    let first = done(Some(0), "t1", "{}");
    for (key, value) in [("call_id", "t2"), ("name", "write"), ("arguments", "{\"n\":1}")] {
        let mut last = first["item"].clone();
        last[key] = value.into();
        let (ready, reply) = streamed(DialectId::OpenAiResponses, &[first.clone(), completed(&[last])]);
        assert_eq!((ready.concat(), reply.calls[0].name.as_str()), (calls(&reply), "look"), "{key}");
        assert_eq!(reply.echo, json!([first["item"]]), "{key}");
    }
}

#[test]
fn an_item_that_was_cut_is_not_ready() {
    let mut event = done(Some(0), "t1", "");
    event["item"]["status"] = "incomplete".into();
    let (ready, reply) = streamed(DialectId::OpenAiResponses, &[event]);
    assert_eq!((ready.concat().len(), reply.calls.len(), reply.stop), (0, 1, Stop::Length));
}

/// A server may tell a call before the message that stands before it.
#[test]
fn items_stand_in_the_order_of_the_output() {
    let message = json!({"type": "message", "id": "m", "content": []});
    let late = json!({"type": "response.output_item.done", "output_index": 0, "item": message});
    let events = [done(Some(1), "t1", "{}"), late];
    let (_, reply) = streamed(DialectId::OpenAiResponses, &events);
    assert_eq!(reply.echo, json!([message, events[0]["item"]]));
}

#[test]
fn a_call_whose_pieces_have_other_words_in_the_final_event_stays_as_it_was_ready() {
    for (was, last) in
        [(json!({"n": 1}), json!({"n": 2})), (json!({"n": 1}), json!("")), (json!("{}"), Value::Null)]
    {
        let item = |arguments: &Value| json!({"type": "function_call", "call_id": "t1", "name": "look", "arguments": arguments});
        let events = [
            json!({"type": "response.output_item.done", "item": item(&was)}),
            json!({"type": "response.completed", "response": {"status": "completed", "output": [item(&last)]}}),
        ];
        let (ready, reply) = streamed(DialectId::OpenAiResponses, &events);
        assert_eq!(ready.concat(), calls(&reply), "{was} and {last}");
    }
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
        chat(0, "t1", r#"{"path":"a}"#),
        chat(0, "", r#""}"#),
        chat(1, "t2", "{}"),
        chat(0, "", "}"),
        end("tool_calls"),
        chat(1, "", "}"),
    ];
    let (ready, reply) = streamed(DialectId::OpenAiChat, &events);
    let (first, second) = (call("t1", &json!({"path": "a}"})), call("t2", &json!({})));
    assert_eq!(ready.concat(), [first.clone(), second.clone()]);
    assert_eq!(ready[2], std::slice::from_ref(&first));
    // What fits nowhere is not lost.
    assert_eq!(calls(&reply)[..2], [first, second]);
    assert!(reply.calls.len() == 4 && reply.calls[2..].iter().all(|call| call.args.is_err()));
}

#[test]
fn a_call_without_arguments_is_ready_at_the_end_and_lets_the_next_pass() {
    let look = chat(1, "t2", r#"{"n":1}"#);
    let (none, two) = (call("t1", &json!({})), call("t2", &json!({"n": 1})));
    for (reason, told) in
        [("tool_calls", vec![none.clone(), two.clone()]), ("stop", vec![]), ("length", vec![])]
    {
        let (ready, reply) = streamed(DialectId::OpenAiChat, &[chat(0, "t1", ""), look.clone(), end(reason)]);
        assert_eq!(ready.concat(), told, "{reason}");
        assert_eq!(calls(&reply), [none.clone(), two.clone()], "{reason}");
    }
}

/// Calls of one index, and what they come to: id, name and arguments.
#[test]
fn calls_are_told_apart_though_a_server_does_not() {
    let piece = |index: Option<u64>, id: &str, name: &str, arguments: &str| {
        let call = json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}});
        json!({"choices": [{"delta": {"tool_calls": [call]}}]})
    };
    type Case = (
        &'static str,
        Vec<(&'static str, &'static str, &'static str)>,
        Vec<(&'static str, &'static str, Value)>,
    );
    let cases: [Case; 8] = [
        (
            "no ids",
            vec![("", "a", "{\"x\":1}"), ("", "b", "{\"y\":1}")],
            vec![("call_0_0", "a", json!({"x": 1})), ("call_0_1", "b", json!({"y": 1}))],
        ),
        (
            "the same id",
            vec![("t", "a", "{\"x\":1}"), ("t", "a", "{\"y\":1}")],
            vec![("t", "a", json!({"x": 1})), ("call_0_1", "a", json!({"y": 1}))],
        ),
        (
            "once more",
            vec![("t", "a", "{\"x\":1}"), ("t", "a", "{\"x\":1}"), ("t", "a", "")],
            vec![("t", "a", json!({"x": 1}))],
        ),
        (
            "an empty start",
            vec![("t", "a", ""), ("", "", "{\"x\""), ("", "", ":1}"), ("", "", " ")],
            vec![("t", "a", json!({"x": 1}))],
        ),
        (
            "an empty object first",
            vec![("t", "a", "{}"), ("", "", "{\"x\""), ("", "", ":1}")],
            vec![("t", "a", json!({"x": 1}))],
        ),
        ("an empty object alone", vec![("t", "a", "{}"), ("", "", "")], vec![("t", "a", json!({}))]),
        (
            "another id and name",
            vec![("t", "a", "{\"x\":1}"), ("u", "b", ""), ("", "", "{\"y\":1}")],
            vec![("t", "a", json!({"x": 1})), ("u", "b", json!({"y": 1}))],
        ),
        (
            "an id for each piece",
            vec![("t", "a", "{\"x\""), ("u", "", ":1}")],
            vec![("t", "a", json!({"x": 1}))],
        ),
    ];
    for (about, pieces, wanted) in cases {
        for index in [Some(0), None] {
            // Without an index another id is another call.
            if about == "an id for each piece" && index.is_none() {
                continue;
            }
            let mut events: Vec<Value> =
                pieces.iter().map(|(id, name, arguments)| piece(index, id, name, arguments)).collect();
            events.push(end("tool_calls"));
            let (ready, reply) = streamed(DialectId::OpenAiChat, &events);
            let told: Vec<(&str, &str, Value)> = reply
                .calls
                .iter()
                .map(|call| (call.id.as_str(), call.name.as_str(), call.args.as_ref().unwrap().clone()))
                .collect();
            assert_eq!(told, wanted, "{about}, {index:?}");
            assert_eq!(ready.concat(), calls(&reply), "{about}, {index:?}");
        }
    }
}

/// Some servers have a reason in every event: one without a word, or `stop`.
#[test]
fn a_reason_in_each_event_closes_only_what_is_whole() {
    for each in ["", "null", "stop"] {
        let with = |mut event: Value, reason: &str| {
            event["choices"][0]["finish_reason"] = reason.into();
            event
        };
        let events = [
            with(chat(0, "t1", ""), each),
            with(chat(0, "", r#"{"path":"#), each),
            with(chat(0, "", r#""a"}"#), each),
            with(chat(1, "t2", r#"{"path":"b"}"#), each),
            end("tool_calls"),
        ];
        let (ready, reply) = streamed(DialectId::OpenAiChat, &events);
        let both = [call("t1", &json!({"path": "a"})), call("t2", &json!({"path": "b"}))];
        assert_eq!(ready.concat(), both, "{each:?}");
        assert_eq!((calls(&reply), reply.stop), (both.to_vec(), Stop::Tools), "{each:?}");
    }
}

#[test]
fn calls_of_one_index_are_told_apart_by_their_ids() {
    let events =
        [chat(0, "t1", r#"{"n":1}"#), chat(0, "t2", r#"{"n":"#), chat(0, "", "2}"), end("tool_calls")];
    let (ready, reply) = streamed(DialectId::OpenAiChat, &events);
    let both = [call("t1", &json!({"n": 1})), call("t2", &json!({"n": 2}))];
    assert_eq!((ready.concat(), calls(&reply)), (both.to_vec(), both.to_vec()));
    // An id that changes from piece to piece is of one call.
    let events = [
        chat(0, "t1", r#"{"n":"#),
        json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "t9", "function": {"arguments": "1}"}}]}}]}),
        end("stop"),
    ];
    assert_eq!(streamed(DialectId::OpenAiChat, &events).1.calls.len(), 1);
}

#[test]
fn the_end_needs_no_delta_and_content_may_come_in_parts() {
    let part = |part: Value| json!({"choices": [{"delta": {"content": [part]}}]});
    let think = json!({"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]});
    let events = [
        part(think.clone()),
        part(json!({"type": "text", "text": "Let me "})),
        json!({"choices": [{"delta": {"content": "look."}}]}),
        chat(0, "t1", "{}"),
        json!({"choices": [{"finish_reason": "tool_calls"}]}),
    ];
    let (ready, reply) = streamed(DialectId::OpenAiChat, &events);
    assert_eq!(ready.concat(), [call("t1", &json!({}))]);
    assert_eq!((reply.text.as_str(), reply.stop), ("Let me look.", Stop::Tools));
    assert_eq!(reply.echo["content"], json!([think, {"type": "text", "text": "Let me look."}]));
}

#[test]
fn a_blocked_reply_is_refused_in_pieces_too() {
    for (event, stop) in [
        (
            json!({"promptFeedback": {"safetyRatings": []}, "candidates": [{"finishReason": "SAFETY"}]}),
            Stop::Refused,
        ),
        (json!({"promptFeedback": {"blockReason": "SAFETY"}}), Stop::Refused),
        (json!({"promptFeedback": {"safetyRatings": []}}), Stop::Length),
    ] {
        let (_, reply) = streamed(DialectId::Gemini, std::slice::from_ref(&event));
        assert_eq!((reply.stop, reply.calls.len()), (stop, 0), "{event}");
    }
}

#[test]
fn an_id_of_our_own_is_nobody_elses() {
    let part = |id: &str| json!({"functionCall": {"id": id, "name": "look", "args": {}}});
    let parts = [part("call_0_1"), part("call_0_1"), part("call_0_2")];
    let (ready, reply) = streamed(
        DialectId::Gemini,
        &[json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]})],
    );
    let mut ids: Vec<String> = calls(&reply).into_iter().map(|call| call.0).collect();
    assert_eq!(ready.concat(), calls(&reply));
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3, "{ids:?}");

    // By the place of the call, else by the first place behind it that is free.
    let parts = [
        part("call_0_1"),
        json!({"functionCall": {"name": "look"}}),
        json!({"functionCall": {"name": "look"}}),
    ];
    let body = json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]});
    let ids: Vec<String> =
        calls(&streamed(DialectId::Gemini, &[body]).1).into_iter().map(|call| call.0).collect();
    assert_eq!(ids, ["call_0_1", "call_0_2", "call_0_3"]);
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

#[test]
fn a_call_begins_once_and_an_empty_object_before_its_pieces_is_none_of_them() {
    let plan = DialectId::OpenAiChat.plan(&[], &PlanOptions::default()).unwrap();
    for (pieces, arguments) in
        [(&["{}", "{\"n\":", "1}"][..], "{\"n\":1}"), (&["{}", " ", ""], "{} "), (&["", "{}"], "{}")]
    {
        let mut assembler = DialectId::OpenAiChat.assembler(&plan, 0);
        let mut began = 0;
        for (i, piece) in pieces.iter().enumerate() {
            let mut piece = json!({"index": 0, "function": {"arguments": piece}});
            if i == 0 {
                (piece["id"], piece["function"]["name"]) = ("t".into(), "look".into());
            }
            let told = assembler.feed(&json!({"choices": [{"delta": {"tool_calls": [piece]}}]}));
            began += told.iter().filter(|told| matches!(told, StreamEvent::CallStarted { .. })).count();
        }
        let calls = &assembler.body()["choices"][0]["message"]["tool_calls"];
        assert_eq!(
            (began, &calls[0]["function"]["arguments"], &calls[1]),
            (1, &json!(arguments), &json!(null))
        );
    }
}
