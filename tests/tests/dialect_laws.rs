//! The laws of the dialects: what a schema accepts survives the way to a model and back, in one piece or in many, and
//! nothing that a model or provider sends makes a dialect panic. (dialects.md §10)

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Value, json};
use tests::rounds::rounds;
use tool_core::args::Args;
use tool_core::def::Handler;
use tool_core::dialect::{
    Assembler, Dialect as _, DialectId, Limits, ModelCall, Plan, PlanOptions, StreamEvent, StrictPolicy,
    compile, limits,
};
use tool_core::test::{Damage, Random, Values};
use tool_core::{Coerce, DynTool, IssueCode, Registry, ToolEntry, ToolOutput};
use tool_std as _;

/// Values per dialect and form.
fn values() -> usize {
    rounds(2_000)
}

/// Every construct that a form treats in its own way, each in a tool.
fn schemas() -> Vec<Value> {
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let circle = object(
        json!({"kind": {"type": "string", "const": "circle"}, "radius": {"type": "number"}}),
        json!(["kind", "radius"]),
    );
    let rect = object(
        json!({"kind": {"type": "string", "const": "rect"}, "w": {"type": "number"}, "h": {"type": "number", "default": 1}}),
        json!(["kind", "w"]),
    );
    let map = json!({"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}});
    let entries = json!({"type": "object", "x-entries": true, "additionalProperties": {
        "type": "object", "properties": {"v": {"type": "string"}, "mask": {"type": "boolean", "default": false}},
        "required": ["v"], "additionalProperties": false}});
    let tree = json!({"$defs": {"Node": object(
        json!({"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}, "default": []}}),
        json!(["name"]),
    )}});
    let recursive = {
        let mut schema = object(json!({"tree": {"$ref": "#/$defs/Node"}}), json!(["tree"]));
        schema["$defs"] = tree["$defs"].clone();
        schema
    };
    vec![
        object(json!({}), json!([])),
        object(
            json!({"q": {"type": "string", "minLength": 1}, "n": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
                "mode": {"type": "string", "enum": ["a", "b"]}, "ratio": {"type": "number"}}),
            json!(["q"]),
        ),
        json!({"oneOf": [circle, rect]}),
        object(
            json!({"shape": {"oneOf": [circle, rect]}, "shapes": {"type": "array", "items": {"oneOf": [rect, circle]}}}),
            json!(["shape"]),
        ),
        object(json!({"m": map, "any": {}}), json!(["m"])),
        object(
            json!({"e": entries, "jobs": {"type": "array", "items": object(json!({"env": entries}), json!(["env"]))}}),
            json!(["e"]),
        ),
        object(
            json!({"pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2}}),
            json!(["pair"]),
        ),
        object(
            json!({"owner": {"type": ["string", "null"], "x-keep-null": true}, "cells": {"type": "array", "items": {"type": ["string", "null"]}},
                "parent": {"type": ["string", "null"]}, "list": {"type": ["array", "null"], "items": {"type": "integer"}}}),
            json!(["parent", "list"]),
        ),
        object(
            json!({"ext": {"oneOf": [{"type": "string", "enum": ["unit"]}, object(json!({"label": {"type": "string"}}), json!(["label"])),
                object(json!({"size": {"type": "integer"}}), json!(["size"]))]},
                "un": {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "boolean"}]}}),
            json!(["ext"]),
        ),
        recursive,
        object(
            json!({"title": {"type": "string"}, "default": {"type": "integer"}, "oneOf": {"type": "boolean"}, "items": {"type": "string"}}),
            json!(["title"]),
        ),
    ]
}

fn registry() -> Registry {
    let tools = schemas().into_iter().enumerate().map(|(i, schema)| {
        let tool =
            DynTool::builder(format!("law_{i}")).description("Takes its arguments.").input_schema(schema);
        tool.handler_sync(|_, _| Ok(ToolOutput::default())).build().unwrap()
    });
    tools.fold(Registry::builder().discover(), |builder, tool| builder.add_dyn(tool)).build().unwrap()
}

const FORMS: [(DialectId, StrictPolicy); 9] = [
    (DialectId::Anthropic, StrictPolicy::Never),
    (DialectId::Anthropic, StrictPolicy::Prefer),
    (DialectId::OpenAiChat, StrictPolicy::Never),
    (DialectId::OpenAiChat, StrictPolicy::Prefer),
    (DialectId::OpenAiResponses, StrictPolicy::Never),
    (DialectId::OpenAiResponses, StrictPolicy::Prefer),
    (DialectId::Gemini, StrictPolicy::Never),
    (DialectId::Mcp20251125, StrictPolicy::Never),
    (DialectId::Mcp20260728, StrictPolicy::Never),
];

/// One tool at a time, so that no budget makes it loose.
fn plans(
    registry: &Registry,
    dialect: DialectId,
    strict: StrictPolicy,
) -> Vec<(Plan, Value, Validator, Validator)> {
    let options = PlanOptions { strict: Some(strict), ..PlanOptions::default() };
    let plan = |entry: &tool_core::ToolEntry| {
        let plan = dialect.plan(&[entry], &options).unwrap();
        let canonical = entry.def().input_schema().unwrap().decoded().clone();
        let empty = json!({"type": "object"});
        let wire = plan.tools[0].compiled.schema.clone().unwrap_or(empty);
        let judge = |schema: &Value| jsonschema::draft202012::new(schema).unwrap();
        (plan, canonical.clone(), judge(&canonical), judge(&wire))
    };
    registry.iter().map(plan).collect()
}

fn call(plan: &Plan, args: Value) -> ModelCall {
    ModelCall {
        id: "call_1".to_owned(),
        wire_id: None,
        name: plan.tools[0].name().to_owned(),
        args: Ok(args),
    }
}

/// A valid value with what it is on the wire, as often as asked for.
fn each_value(mut check: impl FnMut(DialectId, &Plan, &Validator, &Value, &Value)) {
    let registry = registry();
    for (dialect, strict) in FORMS {
        let plans = plans(&registry, dialect, strict);
        let mut random = Values::new(17);
        let rounds = values().div_ceil(plans.len());
        for (plan, canonical, valid, wire) in &plans {
            for args in (0..rounds).map(|_| random.of(canonical)).filter(|args| valid.is_valid(args)) {
                let sent = dialect.encode_args(&plan.tools[0], &args);
                check(dialect, plan, wire, &args, &sent);
            }
        }
    }
}

#[test]
fn what_the_schema_accepts_survives_the_way_there_and_back() {
    let (mut seen, mut typed) = (0, 0);
    each_value(|dialect, plan, wire, args, sent| {
        let name = plan.tools[0].name();
        assert!(wire.is_valid(sent), "{dialect} {name}: {args} is sent as {sent}, which its schema refuses");
        let body = dialect.encode_calls(&[call(plan, sent.clone())], "");
        let decoded = dialect.decode(plan, &body, 0).unwrap();
        let came = decoded.calls[0].args.as_ref().unwrap();
        assert_eq!(came, args, "{dialect} {name}: sent as {sent}");
        typed += usize::from(types_take(&plan.tools[0].entry, came));
        seen += 1;
    });
    assert!(seen > 5 * values(), "only {seen} values");
    assert!(typed * 4 > seen, "only {typed} of {seen} values were of a tool with types");
}

/// Whether a tool has types; they must take what satisfies its schema, but for rules between parameters.
fn types_take(entry: &ToolEntry, args: &Value) -> bool {
    let enter = match entry.def().handler {
        Handler::Sync(enter) | Handler::Async(enter) => enter,
        Handler::Dynamic(_) => return false,
    };
    let taken = Args::new(entry.def(), args.clone(), Coerce::Lenient)
        .and_then(|mut taken| enter(&mut taken).map(drop).map(|()| taken.notes().is_empty()));
    match taken {
        Ok(as_it_is) => assert!(as_it_is, "{args} of {} is changed", entry.name()),
        Err(error) => {
            let rules = error.arg_issues().iter().all(|issue| issue.code == IssueCode::Constraint);
            assert!(rules && !error.arg_issues().is_empty(), "{args} of {}: {error}", entry.name());
        }
    }
    true
}

/// The one text of a result as a dialect tells it.
fn told(dialect: DialectId, items: &[Value]) -> String {
    let at = match dialect {
        DialectId::Anthropic => "/content/0/content/0/text",
        DialectId::OpenAiChat => "/content",
        DialectId::OpenAiResponses => "/output",
        DialectId::Gemini => "/parts/0/functionResponse/response/output",
        DialectId::Mcp20251125 | DialectId::Mcp20260728 => "/content/0/text",
    };
    items[0].pointer(at).and_then(Value::as_str).unwrap_or_else(|| panic!("{dialect}: {items:?}")).to_owned()
}

#[test]
fn a_long_text_is_cut_between_characters_and_says_how_much_is_shown() {
    let registry = registry();
    let entry = registry.iter().next().unwrap();
    let mut random = Random::new(29);
    let mut cut = 0;
    for round in 0..values() {
        let most = 1 + random.below(60);
        let text: String =
            (0..1 + random.below(60)).map(|_| ['a', 'é', '✓', '🙂', '\n'][random.below(5)]).collect();
        let (dialect, _) = DialectId::ALL[round % DialectId::ALL.len()];
        let limits = Limits::default().with(limits::RESULT_BYTES, most);
        let plan = dialect.plan(&[entry], &PlanOptions { limits, ..PlanOptions::default() }).unwrap();
        let result = Ok(ToolOutput::text(text.clone()));
        let told = told(dialect, &dialect.encode_results(&plan, &[(call(&plan, json!({})), result)]));
        if text.len() <= most {
            assert_eq!(told, text, "{dialect}");
            continue;
        }
        let (kept, note) = told.rsplit_once("\n[truncated: showing ").unwrap();
        assert!(text.starts_with(kept) && kept.len() <= most, "{dialect}: {told} of {text}");
        assert!(most - kept.len() < 4, "{dialect}: {} of {most} bytes are used for {text}", kept.len());
        let count = format!("{} of {} bytes. ", kept.len(), text.len());
        assert!(note.starts_with(&count) && note.ends_with(']'), "{dialect}: {told}");
        cut += 1;
    }
    assert!(cut * 4 > values(), "only {cut} texts were cut");
}

/// The events in which a provider sends a body, its texts cut wherever chance has it.
fn events(dialect: DialectId, body: &Value, random: &mut Random) -> Vec<Value> {
    let mut pieces = |text: &str| {
        let mut pieces = vec![String::new()];
        for character in text.chars() {
            if random.below(3) == 0 {
                pieces.push(String::new());
            }
            pieces.last_mut().unwrap().push(character);
        }
        pieces
    };
    let mut events = Vec::new();
    match dialect {
        DialectId::Anthropic => {
            for (index, block) in body["content"].as_array().unwrap().iter().enumerate() {
                let mut start = block.clone();
                let (key, kind, text) = match block["type"].as_str() {
                    Some("text") => ("text", "text_delta", block["text"].as_str().unwrap().to_owned()),
                    _ => ("partial_json", "input_json_delta", block["input"].to_string()),
                };
                start[if key == "text" { "text" } else { "input" }] =
                    if key == "text" { json!("") } else { json!({}) };
                events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
                for piece in pieces(&text) {
                    events.push(json!({"type": "content_block_delta", "index": index, "delta": {"type": kind, key: piece}}));
                }
                events.push(json!({"type": "content_block_stop", "index": index}));
            }
            events.push(json!({"type": "message_delta", "delta": {"stop_reason": body["stop_reason"]}}));
            events.push(json!({"type": "message_stop"}));
        }
        DialectId::OpenAiChat => {
            let choice = &body["choices"][0];
            let delta =
                |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
            for piece in pieces(choice["message"]["content"].as_str().unwrap_or("")) {
                events.push(delta(json!({"content": piece})));
            }
            for (index, call) in choice["message"]["tool_calls"].as_array().unwrap().iter().enumerate() {
                let function = json!({"name": call["function"]["name"], "arguments": ""});
                events.push(delta(json!({"tool_calls": [{"index": index, "id": call["id"], "type": "function", "function": function}]})));
                for piece in pieces(call["function"]["arguments"].as_str().unwrap()) {
                    events.push(delta(
                        json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}),
                    ));
                }
            }
            events.push(
                json!({"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}),
            );
        }
        DialectId::OpenAiResponses => {
            for (index, item) in body["output"].as_array().unwrap().iter().enumerate() {
                let mut start = item.clone();
                let call = item["type"] == "function_call";
                start[if call { "arguments" } else { "content" }] = if call { json!("") } else { json!([]) };
                events.push(
                    json!({"type": "response.output_item.added", "output_index": index, "item": start}),
                );
                let (text, kind) = match call {
                    true => (item["arguments"].as_str().unwrap(), "response.function_call_arguments.delta"),
                    false => (item["content"][0]["text"].as_str().unwrap(), "response.output_text.delta"),
                };
                for piece in pieces(text) {
                    events.push(
                        json!({"type": kind, "output_index": index, "item_id": item["id"], "delta": piece}),
                    );
                }
                events
                    .push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
            }
            events.push(json!({"type": "response.completed", "response": {"status": "completed"}}));
        }
        DialectId::Mcp20251125 | DialectId::Mcp20260728 => events.push(body.clone()),
        DialectId::Gemini => {
            let parts = body["candidates"][0]["content"]["parts"].as_array().unwrap();
            for part in parts {
                events.push(json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]}));
            }
            events.push(json!({"candidates": [{"content": {"parts": []}, "finishReason": "STOP"}]}));
        }
    }
    events
}

#[test]
fn a_reply_in_pieces_is_the_reply() {
    let mut random = Random::new(23);
    each_value(|dialect, plan, _, args, sent| {
        if matches!(dialect, DialectId::Mcp20251125 | DialectId::Mcp20260728) {
            return;
        }
        let calls =
            [call(plan, sent.clone()), ModelCall { id: "call_2".to_owned(), ..call(plan, sent.clone()) }];
        let body = dialect.encode_calls(&calls, "Let me löök.");
        let mut assembler = dialect.assembler(plan, 0);
        let events = events(dialect, &body, &mut random);
        let ready: usize = events.iter().map(|event| readied(&mut *assembler, event).len()).sum();
        let (streamed, whole) = (assembler.finish().unwrap(), dialect.decode(plan, &body, 0).unwrap());
        assert_eq!(ready, 2, "{dialect}: so many of 2 calls were ready");
        let told = |decoded: &tool_core::dialect::Decoded| {
            let calls = decoded
                .calls
                .iter()
                .map(|call| (call.id.clone(), call.name.clone(), call.args.as_ref().ok().cloned()));
            (calls.collect::<Vec<_>>(), decoded.text.clone(), decoded.stop)
        };
        assert_eq!(told(&streamed), told(&whole), "{dialect}: {args}");
        assert_eq!(streamed.echo, whole.echo, "{dialect}: {args}");
    });
}

/// What servers do that imitate a provider, and some of its own versions: it changes nothing.
fn imitated(dialect: DialectId, events: &mut Vec<Value>, body: &Value, random: &mut Random) {
    match dialect {
        DialectId::OpenAiChat => {
            let (reason, end) = (["", "null", "stop"].get(random.below(5)), random.below(2) == 0);
            let (index, last) = (random.below(2) == 0, events.len() - 1);
            for (at, event) in events.iter_mut().enumerate() {
                let choice = event["choices"][0].as_object_mut().unwrap();
                if at < last
                    && let Some(reason) = reason
                {
                    choice.insert("finish_reason".to_owned(), (*reason).into());
                }
                if at == last && end {
                    choice.remove("delta");
                }
                if let Some(call) =
                    choice.get_mut("delta").and_then(|delta| delta.pointer_mut("/tool_calls/0"))
                {
                    let call = call.as_object_mut().unwrap();
                    if index {
                        call.insert("index".to_owned(), 0.into());
                    } else {
                        call.remove("index");
                    }
                }
            }
        }
        DialectId::OpenAiResponses => {
            if random.below(2) == 0 {
                let done = |event: &Value| event["type"] == "response.output_item.done";
                events.sort_by_key(|event| (event["type"] == "response.completed", done(event)));
            }
            let index = random.below(3);
            for event in events.iter_mut().filter(|_| index < 2) {
                let event = event.as_object_mut().unwrap();
                event.remove("output_index");
                if index == 0 {
                    event.insert("output_index".to_owned(), 0.into());
                }
            }
            let twice = random.below(events.len() - 1);
            if events[twice].get("item").is_some() {
                events.insert(twice, events[twice].clone());
            }
            let last = events.last_mut().unwrap();
            match random.below(3) {
                0 => last["response"]["output"] = body["output"].clone(),
                1 => last["response"]["output"] = json!([]),
                _ => {}
            }
        }
        _ => {}
    }
}

#[test]
fn a_reply_of_a_server_that_imitates_is_the_reply() {
    let mut random = Random::new(31);
    each_value(|dialect, plan, _, args, sent| {
        if !matches!(dialect, DialectId::OpenAiChat | DialectId::OpenAiResponses) {
            return;
        }
        let calls =
            [call(plan, sent.clone()), ModelCall { id: "call_2".to_owned(), ..call(plan, sent.clone()) }];
        let mut body = dialect.encode_calls(&calls, "Let me löök.");
        if let Some(message) = body.pointer_mut("/output/0") {
            message["id"] = "m".into();
        }
        let mut sent = events(dialect, &body, &mut random);
        imitated(dialect, &mut sent, &body, &mut random);
        let mut assembler = dialect.assembler(plan, 0);
        let ready: Vec<ModelCall> = sent.iter().flat_map(|event| readied(&mut *assembler, event)).collect();
        let (streamed, whole) = (assembler.finish().unwrap(), dialect.decode(plan, &body, 0).unwrap());
        let said = |calls: &[ModelCall]| -> Vec<(String, String, Option<Value>)> {
            calls
                .iter()
                .map(|call| (call.id.clone(), call.name.clone(), call.args.as_ref().ok().cloned()))
                .collect()
        };
        assert_eq!(said(&ready), said(&whole.calls), "{dialect}: {args}\n{sent:#?}");
        assert_eq!(said(&streamed.calls), said(&whole.calls), "{dialect}: {args}\n{sent:#?}");
        assert_eq!(
            (&streamed.text, &streamed.echo),
            (&whole.text, &whole.echo),
            "{dialect}: {args}\n{sent:#?}"
        );
    });
}

/// The calls that an event makes ready.
fn readied(assembler: &mut dyn Assembler, event: &Value) -> Vec<ModelCall> {
    let ready = |told| match told {
        StreamEvent::CallReady(call) => Some(call),
        _ => None,
    };
    assembler.feed(event).into_iter().filter_map(ready).collect()
}

#[test]
fn a_call_that_was_ready_is_in_the_reply_just_so_whatever_comes_after_it() {
    let (mut random, mut readies) = (Random::new(29), BTreeMap::<String, usize>::new());
    each_value(|dialect, plan, _, _, sent| {
        let other = json!({"other": random.below(9)});
        let calls =
            [call(plan, sent.clone()), ModelCall { id: "call_2".to_owned(), ..call(plan, sent.clone()) }];
        let mut sent = events(dialect, &dialect.encode_calls(&calls, "Let me löök."), &mut random);
        let stray = [ModelCall { args: Ok(other.clone()), ..call(plan, other) }];
        sent.extend(events(dialect, &dialect.encode_calls(&stray, "More."), &mut random));
        for _ in 0..random.below(6) {
            let (from, to) = (random.below(sent.len()), random.below(sent.len()));
            match random.below(3) {
                0 => sent.swap(from, to),
                1 => sent.insert(to, sent[from].clone()),
                _ => drop(sent.remove(from)),
            }
            if sent.is_empty() {
                break;
            }
        }
        let mut assembler = dialect.assembler(plan, 0);
        let ready: Vec<ModelCall> = sent.iter().flat_map(|event| readied(&mut *assembler, event)).collect();
        let reply = assembler.finish().map(|reply| reply.calls).unwrap_or_default();
        let mut calls = reply.iter();
        let same = |one: &ModelCall, other: &ModelCall| {
            (&one.id, &one.name, one.args.as_ref().unwrap())
                == (&other.id, &other.name, other.args.as_ref().unwrap_or(&Value::Null))
        };
        for one in &ready {
            assert!(calls.any(|call| same(one, call)), "{dialect}: {one:?} is not in {reply:?}\n{sent:#?}");
        }
        *readies.entry(dialect.to_string()).or_default() += ready.len();
    });
    assert!(
        readies.len() == 6 && readies.values().all(|count| *count > values() / 2),
        "{readies:?} were ready"
    );
}

#[test]
fn what_is_compiled_is_a_schema_and_at_rest() {
    for schema in schemas() {
        for wire in tool_core::dialect::Wire::ALL {
            let compiled = compile(&schema, wire);
            let Some(once) = compiled.schema else { continue };
            jsonschema::draft202012::meta::validate(&once).unwrap();
            // A null that is kept is not told from one that is added; Gemini expands a recursive type once more.
            let text = schema.to_string();
            let expands = wire == tool_core::dialect::Wire::Gemini && text.contains("$ref");
            if !text.contains("x-keep-null") && !expands && (compiled.strict || !wire.is_strict()) {
                assert_eq!(compile(&once, wire).schema.as_ref(), Some(&once), "{wire:?}: {schema}");
            }
        }
    }
}

#[test]
fn nothing_that_comes_in_makes_a_dialect_panic() {
    let registry = registry();
    let mut damage = Damage::new(5);
    for (dialect, strict) in FORMS {
        let plans = plans(&registry, dialect, strict);
        for _ in 0..values() {
            let (plan, ..) = &plans[damage.random().below(plans.len())];
            let mut body = dialect.encode_calls(&[call(plan, damage.json(4))], "text");
            for _ in 0..damage.random().below(3) {
                damage.damage(&mut body);
            }
            let _ = dialect.decode(plan, &body, 0).map(|decoded| decoded.calls.len());
            let mut assembler = dialect.assembler(plan, 0);
            let mut events =
                if dialect.wire(false) == tool_core::dialect::Wire::Mcp || body.get("content").is_none() {
                    vec![body]
                } else {
                    vec![json!({"type": "content_block_start", "content_block": body})]
                };
            events.push(damage.json(5));
            for mut event in events {
                damage.damage(&mut event);
                let _ = assembler.feed(&event);
            }
            let _ = assembler.finish();
        }
    }
}
