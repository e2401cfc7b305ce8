//! What is told of a reply's visible text while it comes.

use super::*;

/// The visible text as it came.
fn shown(dialect: DialectId, events: &[Value]) -> Vec<String> {
    let plan = dialect.plan(&[], &PlanOptions::default()).unwrap();
    let mut assembler = dialect.assembler(&plan, 0);
    let text = |told| match told {
        StreamEvent::Text(text) => Some(text),
        _ => None,
    };
    events.iter().flat_map(|event| assembler.feed(event)).filter_map(text).collect()
}

#[test]
fn visible_text_is_told_as_it_comes_and_thoughts_are_not() {
    let block = |block: Value| json!({"type": "content_block_start", "index": 0, "content_block": block});
    let delta = |delta: Value| json!({"type": "content_block_delta", "index": 0, "delta": delta});
    let anthropic = [
        block(json!({"type": "text", "text": ""})),
        delta(json!({"type": "text_delta", "text": "He"})),
        delta(json!({"type": "text_delta", "text": "llo"})),
        json!({"type": "content_block_stop", "index": 0}),
        block(json!({"type": "thinking", "thinking": ""})),
        delta(json!({"type": "thinking_delta", "thinking": "Hm."})),
        json!({"type": "content_block_stop", "index": 0}),
        block(json!({"type": "text", "text": "!"})),
    ];
    assert_eq!(shown(DialectId::Anthropic, &anthropic), ["He", "llo", "!"]);

    let parts = |parts: Value| json!({"candidates": [{"content": {"parts": parts}}]});
    let gemini = [
        parts(json!([{"text": "Hm.", "thought": true}, {"text": "He"}])),
        parts(
            json!([{"functionCall": {"name": "look"}}, {"inlineData": {}}, {"text": "llo", "thought": false}]),
        ),
    ];
    assert_eq!(shown(DialectId::Gemini, &gemini), ["He", "llo"]);
    let reply = streamed(DialectId::Gemini, &gemini).1;
    assert_eq!((reply.text.as_str(), reply.calls.len()), ("Hello", 1));

    let content = |content: Value| json!({"choices": [{"delta": {"content": content}}]});
    let chat = [
        content(json!("")),
        content(json!(null)),
        content(json!("He")),
        content(json!([{"type": "text", "text": "llo"}])),
    ];
    assert_eq!(shown(DialectId::OpenAiChat, &chat), ["He", "llo"]);
}

#[test]
fn a_content_of_one_part_that_is_no_text_stays_a_list() {
    let thought = json!({"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]});
    let events = [
        json!({"choices": [{"delta": {"content": [thought]}}]}),
        json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}),
    ];
    assert_eq!(streamed(DialectId::OpenAiChat, &events).1.echo["content"], json!([thought]));
}
