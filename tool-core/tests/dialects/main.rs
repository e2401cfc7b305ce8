//! What replies of models are read as, and what goes back to them: one table per question, a row for every dialect.
//! (dialects.md §7, §9)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use serde_json::{Value, json};
use tool_core::dialect::{
    Decoded, Dialect as _, DialectId, Limits, ModelCall, Plan, PlanOptions, Stop, StrictPolicy, limits, mcp,
};
use tool_core::{Behavior, Content, DynTool, Registry, ResourceBody, ToolError, ToolOutput, ToolResult};

use DialectId::{Anthropic, Gemini, Mcp20251125, Mcp20260728, OpenAiChat, OpenAiResponses};

mod arguments;
mod mcp_results;

/// The dialects of model APIs.
const MODELS: [DialectId; 4] = [Anthropic, OpenAiChat, OpenAiResponses, Gemini];

fn no_tools(dialect: DialectId) -> Plan {
    dialect.plan(&[], &PlanOptions::default()).unwrap()
}

fn read(dialect: DialectId, body: &Value) -> Decoded {
    dialect.decode(&no_tools(dialect), body, 0).unwrap()
}

fn call(id: &str, args: Value) -> ModelCall {
    ModelCall { id: id.to_owned(), wire_id: Some(id.to_owned()), name: "look".to_owned(), args: Ok(args) }
}

/// A reply with a content and the reason why it ended.
fn ended(dialect: DialectId, content: Value, reason: Value) -> Value {
    match dialect {
        Anthropic => json!({"content": content, "stop_reason": reason}),
        OpenAiChat => json!({"choices": [{"message": content, "finish_reason": reason}]}),
        OpenAiResponses => {
            json!({"output": content, "status": reason[0], "incomplete_details": {"reason": reason[1]}})
        }
        _ => {
            json!({"candidates": [{"content": {"role": "model", "parts": content}, "finishReason": reason}]})
        }
    }
}

#[test]
fn every_reason_of_an_api_has_its_word() {
    let (blocks, message, items) = (json!([]), json!({"content": "x"}), json!([]));
    let refusal = json!({"content": null, "refusal": "no"});
    let refused = json!([{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}]);
    let parts = json!([{"text": "x"}]);
    for (dialect, content, reason, stop) in [
        (Anthropic, &blocks, json!("end_turn"), Stop::End),
        (Anthropic, &blocks, json!("stop_sequence"), Stop::End),
        (Anthropic, &blocks, json!("tool_use"), Stop::Tools),
        (Anthropic, &blocks, json!("max_tokens"), Stop::Length),
        (Anthropic, &blocks, json!("model_context_window_exceeded"), Stop::Length),
        (Anthropic, &blocks, json!("refusal"), Stop::Refused),
        (Anthropic, &blocks, json!("pause_turn"), Stop::Paused),
        (Anthropic, &blocks, json!(null), Stop::End),
        (OpenAiChat, &message, json!("stop"), Stop::End),
        (OpenAiChat, &message, json!("length"), Stop::Length),
        (OpenAiChat, &message, json!("content_filter"), Stop::Refused),
        (OpenAiChat, &refusal, json!("stop"), Stop::Refused),
        (OpenAiChat, &message, json!("one_of_tomorrow"), Stop::End),
        (OpenAiResponses, &items, json!(["completed", null]), Stop::End),
        (OpenAiResponses, &items, json!(["incomplete", "max_output_tokens"]), Stop::Length),
        (OpenAiResponses, &items, json!(["incomplete", null]), Stop::Length),
        (OpenAiResponses, &items, json!(["incomplete", "content_filter"]), Stop::Refused),
        (OpenAiResponses, &items, json!(["completed", "content_filter"]), Stop::End),
        (OpenAiResponses, &refused, json!(["completed", null]), Stop::Refused),
        (Gemini, &parts, json!("STOP"), Stop::End),
        (Gemini, &parts, json!("FINISH_REASON_UNSPECIFIED"), Stop::End),
        (Gemini, &parts, json!(null), Stop::End),
        (Gemini, &parts, json!("MAX_TOKENS"), Stop::Length),
        (Gemini, &parts, json!("MALFORMED_FUNCTION_CALL"), Stop::Malformed),
        (Gemini, &parts, json!("SAFETY"), Stop::Refused),
    ] {
        let body = ended(dialect, content.clone(), reason);
        assert_eq!(read(dialect, &body).stop, stop, "{dialect}: {body}");
    }
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}});
    assert_eq!(read(Gemini, &blocked).stop, Stop::Refused);
}

#[test]
fn a_reply_with_calls_and_text_is_read_as_it_was_written() {
    for dialect in MODELS {
        for text in ["", "So be it."] {
            for calls in [vec![], vec![call("a", json!({"x": 1})), call("b", json!({}))]] {
                let body = dialect.encode_calls(&calls, text);
                let reply = read(dialect, &body);
                let said = |calls: &[ModelCall]| -> Vec<Value> {
                    calls
                        .iter()
                        .map(|call| json!([call.id, call.wire_id, call.name, call.args.as_ref().unwrap()]))
                        .collect()
                };
                assert_eq!((said(&reply.calls), reply.text.as_str()), (said(&calls), text), "{body}");
                let stop = if calls.is_empty() { Stop::End } else { Stop::Tools };
                assert_eq!(reply.stop, stop, "{body}");
                // What says nothing is not there: an empty text would be refused.
                assert!(!body.to_string().contains(r#""text":"""#), "{body}");
            }
        }
    }
}

#[test]
fn a_body_that_is_no_reply_is_told_with_what_it_lacks() {
    for (dialect, expected) in
        [(Anthropic, "content"), (OpenAiChat, "choices"), (OpenAiResponses, "output"), (Gemini, "candidates")]
    {
        for body in [json!({}), json!(null), json!([1]), json!({"error": {"message": "x".repeat(5_000)}})] {
            let error = dialect.decode(&no_tools(dialect), &body, 0).unwrap_err();
            assert_eq!(error.code_str(), "bad_response");
            assert_eq!(error.message(), format!("The model's answer has no {expected}."));
            assert!(error.to_json().to_string().len() < 600, "only its beginning is told");
        }
    }
    let no_message = json!({"choices": [{"message": null}]});
    let error = OpenAiChat.decode(&no_tools(OpenAiChat), &no_message, 0).unwrap_err();
    assert_eq!(error.message(), "The model's answer has no message.");
}

/// What a reply appends to the history.
fn echoed(dialect: DialectId, content: Value) -> Vec<Value> {
    let reply = read(dialect, &ended(dialect, content, json!(null)));
    dialect.echo_items(reply.echo)
}

#[test]
fn the_own_message_of_a_model_goes_back_without_what_the_api_would_refuse() {
    let message = |content: Value| vec![json!({"role": "assistant", "content": content})];
    let used = |input: Value| json!({"type": "tool_use", "id": "t", "name": "look", "input": input});
    for (sent, back) in [
        (json!([]), vec![]),
        (json!([{"type": "text", "text": ""}]), vec![]),
        (json!([{"type": "text", "text": "x"}]), message(json!([{"type": "text", "text": "x"}]))),
        (
            json!([{"type": "text", "text": ""}, {"type": "thinking", "thinking": "", "signature": "s"}]),
            message(json!([{"type": "thinking", "thinking": "", "signature": "s"}])),
        ),
        // Only a text that is empty says nothing.
        (json!([{"type": "note", "text": ""}]), message(json!([{"type": "note", "text": ""}]))),
        (json!([{"type": "note", "input": "x"}]), message(json!([{"type": "note", "input": "x"}]))),
        (json!([used(json!({"path": "a"}))]), message(json!([used(json!({"path": "a"}))]))),
        (json!([used(json!("{\"path\":"))]), message(json!([used(json!({"malformed": "{\"path\":"}))]))),
        (json!([used(json!(null))]), message(json!([used(json!({}))]))),
        (json!([used(json!([1]))]), message(json!([used(json!({"malformed": "[1]"}))]))),
    ] {
        assert_eq!(echoed(Anthropic, sent.clone()), back, "{sent}");
    }

    for (sent, back) in [
        (json!({"role": "assistant", "content": null}), vec![]),
        (json!({"content": "x"}), vec![json!({"content": "x"})]),
        (json!({"content": null, "refusal": "no"}), vec![json!({"content": null, "refusal": "no"})]),
        (json!({"content": null, "tool_calls": []}), vec![json!({"content": null, "tool_calls": []})]),
    ] {
        assert_eq!(echoed(OpenAiChat, sent.clone()), back, "{sent}");
    }

    let items = json!([{"type": "reasoning", "encrypted_content": "x"}, {"type": "message", "content": []}]);
    let read = OpenAiResponses.echo_items(read(OpenAiResponses, &json!({"output": items})).echo);
    assert_eq!(json!(read), items);

    let parts = |parts: Value| vec![json!({"role": "model", "parts": parts})];
    for (sent, back) in [
        (json!([]), vec![]),
        (json!([{"text": ""}]), vec![]),
        (json!([{"text": ""}, {"text": "x"}]), parts(json!([{"text": "x"}]))),
        (
            json!([{"text": "", "thoughtSignature": "s"}]),
            parts(json!([{"text": "", "thoughtSignature": "s"}])),
        ),
        (json!([{"functionCall": {"name": "look"}}]), parts(json!([{"functionCall": {"name": "look"}}]))),
    ] {
        assert_eq!(echoed(Gemini, sent.clone()), back, "{sent}");
    }
}

#[test]
fn a_text_of_the_user_is_a_message_of_the_api() {
    for dialect in MODELS {
        let expected = match dialect {
            Gemini => json!({"role": "user", "parts": [{"text": "Hi"}]}),
            _ => json!({"role": "user", "content": "Hi"}),
        };
        assert_eq!(dialect.user_message("Hi"), expected, "{dialect}");
    }
}

/// One of each content that a tool can give.
fn contents() -> Vec<Content> {
    let media = |kind: &str| Content::Image { data: "aGk=".to_owned(), mime_type: kind.to_owned() };
    let blob = |uri: &str, kind: Option<&str>| Content::Resource {
        uri: uri.to_owned(),
        mime_type: kind.map(str::to_owned),
        body: ResourceBody::Blob("aGk=".to_owned()),
    };
    vec![
        Content::text("Words."),
        media("image/png"),
        media("image/tiff"),
        blob("file:///a/b.pdf", Some("application/pdf")),
        blob("file:///a/", Some("application/pdf")),
        blob("file:///c.zip", Some("application/zip")),
        blob("file:///d", None),
        Content::Audio { data: "aGkh".to_owned(), mime_type: "audio/wav".to_owned() },
        Content::Json { value: json!({"a": 1}) },
    ]
}

/// What is said where a content cannot be shown.
fn unseen(kind: &str, bytes: usize) -> String {
    format!("[{kind}, {bytes} bytes: cannot be shown in this API]")
}

#[test]
fn each_api_is_shown_what_it_takes_and_told_of_the_rest() {
    let output = contents().into_iter().fold(ToolOutput::default(), ToolOutput::with_content);
    let result = |dialect: DialectId| {
        let results = [(call("t", json!({})), Ok(output.clone()))];
        dialect.encode_results(&no_tools(dialect), &results)
    };
    let (tiff, zip) = (unseen("image image/tiff", 2), unseen("resource application/zip", 2));
    let (unknown, sound) = (unseen("resource unknown", 2), unseen("audio audio/wav", 3));
    let (png, pdf) = ("data:image/png;base64,aGk=", "data:application/pdf;base64,aGk=");
    let text = |text: &str| json!({"type": "text", "text": text});

    let document = json!({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="}});
    assert_eq!(
        result(Anthropic),
        [json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [
            text("Words."),
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
            text(&tiff), document, document, text(&zip), text(&unknown), text(&sound), text(r#"{"a":1}"#),
        ]}]})]
    );

    let words = |text: &str| json!({"type": "input_text", "text": text});
    let file = |name: &str| json!({"type": "input_file", "filename": name, "file_data": pdf});
    assert_eq!(
        result(OpenAiResponses),
        [json!({"type": "function_call_output", "call_id": "t", "output": [
            words("Words."), {"type": "input_image", "image_url": png}, words(&tiff), file("b.pdf"), file("file.pdf"),
            words(&zip), words(&unknown), words(&sound), words(r#"{"a":1}"#),
        ]})]
    );

    let chat = result(OpenAiChat);
    let pdf_told = unseen("resource application/pdf", 2);
    let told = [
        "Words.",
        "[image image/png, 2 bytes: in the next message]",
        &tiff,
        &pdf_told,
        &pdf_told,
        &zip,
        &unknown,
        &sound,
        r#"{"a":1}"#,
    ];
    assert_eq!(chat[0], json!({"role": "tool", "tool_call_id": "t", "content": told.join("\n")}));
    let image = json!({"type": "image_url", "image_url": {"url": png}});
    assert_eq!(chat[1..], [json!({"role": "user", "content": [text("Image from tool call t:"), image]})]);

    let inline = |kind: &str| json!({"inlineData": {"mimeType": kind, "data": "aGk="}});
    let told = ["Words.", &tiff, &zip, &unknown, &sound, r#"{"a":1}"#].join("\n");
    assert_eq!(
        result(Gemini),
        [
            json!({"role": "user", "parts": [{"functionResponse": {"id": "t", "name": "look", "response": {"output": told},
            "parts": [inline("image/png"), inline("application/pdf"), inline("application/pdf")]}}]})
        ]
    );
}

#[test]
fn an_empty_text_is_not_sent_to_an_api_that_refuses_it() {
    let texts = |texts: &[&str]| {
        let output = texts
            .iter()
            .fold(ToolOutput::default(), |output, text| output.with_content(Content::text(*text)));
        let sent = Anthropic.encode_results(&no_tools(Anthropic), &[(call("t", json!({})), Ok(output))]);
        let blocks = sent[0]["content"][0]["content"].as_array().unwrap().clone();
        blocks.iter().map(|block| block["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(texts(&["", "a", ""]), ["a"]);
    assert_eq!(texts(&["", ""]), ["(no output)"]);
}

#[test]
fn results_without_media_and_failures_have_their_own_form() {
    let of = |dialect: DialectId, result: ToolResult| {
        dialect.encode_results(&no_tools(dialect), &[(call("t", json!({})), result)])
    };
    let value = || Ok(ToolOutput::structured(json!({"a": 1})));
    let nothing = || Ok(ToolOutput::default());
    let words =
        || Ok(ToolOutput::default().with_content(Content::text("one")).with_content(Content::text("two")));
    let failed = || Err(ToolError::failed("No luck.").code("bad_luck"));
    for (dialect, at) in [
        (Anthropic, "/0/content/0/content"),
        (OpenAiChat, "/0/content"),
        (OpenAiResponses, "/0/output"),
        (Gemini, "/0/parts/0/functionResponse/response/output"),
    ] {
        let told = |result: ToolResult| of(dialect, result)[0].pointer(&at[2..]).cloned();
        let expected = |text: &str| match dialect {
            Anthropic => json!([{"type": "text", "text": text}]),
            _ => json!(text),
        };
        assert_eq!(told(nothing()), Some(expected("(no output)")), "{dialect}");
        let value_told = if dialect == Gemini { json!({"a": 1}) } else { expected(r#"{"a":1}"#) };
        assert_eq!(told(value()), Some(value_told), "{dialect}");
        let both = match dialect {
            Anthropic => json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]),
            _ => json!("one\ntwo"),
        };
        assert_eq!(told(words()), Some(both), "{dialect}");
        let all = json!(of(dialect, failed())).to_string();
        assert!(all.contains("bad_luck") && all.contains("No luck."), "{dialect}: {all}");
    }
    let failed = of(Anthropic, failed());
    assert_eq!(failed[0]["content"][0]["is_error"], json!(true));
    assert_eq!(of(Anthropic, value())[0]["content"][0].get("is_error"), None);
    for dialect in [Mcp20251125, Mcp20260728] {
        assert!(
            json!(of(dialect, value())).to_string().contains(r#""structuredContent":{"a":1}"#),
            "{dialect}"
        );
    }
}

#[test]
fn an_image_that_is_too_large_is_told_instead_and_other_media_are_not_measured() {
    let output = contents().into_iter().take(4).fold(ToolOutput::default(), ToolOutput::with_content);
    let result = |most: usize| {
        let limits = Limits::default().with(limits::IMAGE_BYTES, most);
        let plan = Anthropic.plan(&[], &PlanOptions { limits, ..PlanOptions::default() }).unwrap();
        let sent = Anthropic.encode_results(&plan, &[(call("t", json!({})), Ok(output.clone()))]);
        sent[0]["content"][0]["content"].as_array().unwrap().clone()
    };
    let kinds = |blocks: &[Value]| {
        blocks.iter().map(|block| block["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for most in [2, 3] {
        assert_eq!(kinds(&result(most)), ["text", "image", "text", "document"]);
    }
    for most in [0, 1] {
        assert_eq!(kinds(&result(most)), ["text", "text", "text", "document"]);
        assert_eq!(result(most)[1]["text"], "[image image/png, 2 bytes: larger than this API takes]");
    }
}

#[test]
fn a_text_that_is_too_long_is_cut_and_says_how_to_get_the_rest() {
    for dialect in MODELS {
        let result = |output: ToolOutput, most: usize| {
            let limits = Limits::default().with(limits::RESULT_BYTES, most);
            let plan = dialect.plan(&[], &PlanOptions { limits, ..PlanOptions::default() }).unwrap();
            json!(dialect.encode_results(&plan, &[(call("t", json!({})), Ok(output))])).to_string()
        };
        let value = || ToolOutput::structured(json!({"word": "abcdefgh"}));
        let size = json!({"word": "abcdefgh"}).to_string().len();
        assert!(!result(value(), size).contains("truncated"), "{dialect}");
        let cut = result(value(), size - 1);
        assert!(
            cut.contains(&format!("[truncated: showing {} of {size} bytes. Ask for less", size - 1)),
            "{dialect}: {cut}"
        );
        let words =
            ToolOutput::default().with_content(Content::text("abc")).with_content(Content::text("def"));
        let cut = result(words, 4);
        assert!(
            cut.contains("[truncated: showing 4 of 6 bytes.") && !cut.contains("def"),
            "{dialect}: {cut}"
        );
    }
    let value = ToolOutput::default().with_content(Content::Json { value: json!({"word": "abcdefgh"}) });
    let limits = Limits::default().with(limits::RESULT_BYTES, 10);
    let told = mcp::result(Mcp20260728, "look", None, &Ok(value), &limits);
    assert!(
        told["content"][0]["text"].as_str().unwrap().contains("[truncated: showing 10 of 19 bytes."),
        "{told}"
    );
}

#[test]
fn a_refusal_beside_calls_is_not_the_end() {
    let call = json!({"id": "t", "function": {"name": "look", "arguments": "{}"}});
    let both = json!({"content": null, "refusal": "no", "tool_calls": [call]});
    assert_eq!(read(OpenAiChat, &ended(OpenAiChat, both, json!("stop"))).stop, Stop::Tools);
}

#[test]
fn thoughts_and_parts_that_are_no_text_are_not_visible() {
    let thought = json!([{"text": "Hm.", "thought": true}, {"text": "Yes."}]);
    assert_eq!(read(Gemini, &ended(Gemini, thought, json!("STOP"))).text, "Yes.");
    let parts = json!({"content": [{"type": "text", "text": "Y"}, {"type": "image"}, {"type": "text", "text": "es."}]});
    assert_eq!(read(OpenAiChat, &ended(OpenAiChat, parts, json!("stop"))).text, "Yes.");
}

#[test]
fn what_a_server_sends_besides_grows_with_the_stream() {
    let delta = |delta: Value| json!({"choices": [{"delta": delta}]});
    let plan = no_tools(OpenAiChat);
    let mut assembler = OpenAiChat.assembler(&plan, 0);
    for piece in [
        json!({"role": "assistant", "reasoning": "Let ", "details": [1], "seed": 1, "kept": "x"}),
        json!({"reasoning": "me see.", "details": [2, 3], "seed": 2, "kept": null}),
        json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "a"}]}]}),
        json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "b"}]}]}),
        json!({"content": [{"type": "image", "thinking": "c"}, {"type": "text", "text": "Well"}]}),
        json!({"content": ", so."}),
        json!({"content": [{"type": "text", "text": ""}]}),
        json!({"tool_calls": [{"index": 0, "id": "t", "function": {"name": "look", "arguments": {"path": "a"}}}]}),
    ] {
        assembler.feed(&delta(piece));
    }
    let message = assembler.body()["choices"][0]["message"].clone();
    assert_eq!(message["reasoning"], "Let me see.");
    assert_eq!(message["details"], json!([1, 2, 3]));
    assert_eq!((&message["seed"], &message["kept"]), (&json!(2), &json!("x")));
    let thought = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    assert_eq!(
        message["content"],
        json!([{"type": "thinking", "thinking": thought}, {"type": "image", "thinking": "c"}, {"type": "text", "text": "Well, so."}])
    );
    let reply = assembler.finish().unwrap();
    assert_eq!(reply.text, "Well, so.");
    assert_eq!(reply.calls[0].args.as_ref().unwrap(), &json!({"path": "a"}));
}
