//! What a model over HTTP makes of servers that fail, break off, lie about themselves, or do not end.

#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

#[path = "canned/mod.rs"]
mod canned;

use std::collections::HashMap;
use std::net::TcpListener;
use std::time::{Duration, SystemTime};

use canned::{Answer, Canned, chunked, plain, whole};
use serde_json::{Value, json};
use tool_agent::model::http::{HttpModel, MAX_BODY_BYTES};
use tool_agent::{Model as _, ModelRequest};
use tool_core::dialect::{Dialect as _, DialectId, PlanOptions};
use tool_core::{ErrorKind, ToolContext, ToolError};

const KEY: &str = "sk-test-0123456789";

const DIALECTS: [DialectId; 4] =
    [DialectId::Anthropic, DialectId::OpenAiChat, DialectId::OpenAiResponses, DialectId::Gemini];

fn context() -> ToolContext {
    let keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"];
    let secrets: HashMap<String, String> =
        keys.iter().map(|name| ((*name).to_owned(), KEY.to_owned())).collect();
    ToolContext::builder().secrets(secrets).build()
}

fn model(dialect: DialectId, url: &str) -> HttpModel {
    HttpModel::new(dialect, "m-1").unwrap().base_url(url).unwrap()
}

async fn ask(model: &HttpModel) -> Result<Value, ToolError> {
    let plan = model.dialect().plan(&[], &PlanOptions::default()).unwrap();
    let messages = [model.dialect().user_message("Go.")];
    let request = ModelRequest { plan: &plan, system: None, messages: &messages, turn: 0 };
    model.respond(&request, &context()).await
}

/// What a whole answer, or one in events, comes to.
async fn of(answer: Vec<u8>, stream: bool) -> Result<Value, ToolError> {
    let server = Canned::answering([Answer::Bytes(answer)]);
    ask(&model(DialectId::Anthropic, &server.url()).stream(stream)).await
}

const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";

/// The events of a reply that says hello.
fn hello() -> String {
    let events = [
        json!({"type": "message_start", "message": {}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Hello"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        json!({"type": "message_stop"}),
    ];
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

fn text_of(body: &Value) -> (&str, &str) {
    (body["content"][0]["text"].as_str().unwrap(), body["stop_reason"].as_str().unwrap())
}

#[tokio::test]
async fn statuses_have_their_kinds_and_the_words_of_the_provider() {
    let rows = [
        (400, ErrorKind::Failed, "provider_rejected"),
        (401, ErrorKind::Denied, "denied"),
        (403, ErrorKind::Denied, "denied"),
        (404, ErrorKind::NotFound, "not_found"),
        (408, ErrorKind::Timeout, "timeout"),
        (413, ErrorKind::Failed, "provider_rejected"),
        (418, ErrorKind::Failed, "provider_rejected"),
        (422, ErrorKind::Failed, "provider_rejected"),
        (429, ErrorKind::RateLimited, "rate_limited"),
        (500, ErrorKind::Unavailable, "unavailable"),
        (503, ErrorKind::Unavailable, "unavailable"),
        (504, ErrorKind::Timeout, "timeout"),
        (529, ErrorKind::Unavailable, "unavailable"),
    ];
    for (status, kind, code) in rows {
        let answer = plain(status, JSON, "", r#"{"error":{"message":"As it is."}}"#);
        let error = of(answer, false).await.unwrap_err();
        assert_eq!((error.kind(), error.code_str()), (kind, code), "{status}");
        assert_eq!(error.details()["message"], "As it is.", "{status}");
        assert_eq!(error.details()["status"], status, "{status}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Canned::answering([Answer::Bytes(whole(JSON, r#"{"content":[]}"#))]);
    let to = format!("location: {}/v1/messages\r\n", elsewhere.url());
    let error = of(plain(307, JSON, &to, ""), false).await.unwrap_err();
    assert_eq!((error.code_str(), &error.details()["status"]), ("provider_rejected", &json!(307)));
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn when_to_come_back_is_told_in_seconds_milliseconds_and_dates() {
    let past = httpdate_of(SystemTime::UNIX_EPOCH);
    let rows = [
        (429, "retry-after: 7".to_owned(), Some(Duration::from_secs(7))),
        (529, "retry-after: 2.5".to_owned(), Some(Duration::from_millis(2_500))),
        (503, "retry-after: 9\r\nretry-after-ms: 1500".to_owned(), Some(Duration::from_millis(1_500))),
        (429, format!("retry-after: {past}"), Some(Duration::ZERO)),
        (429, "retry-after: soon".to_owned(), None),
        (429, "retry-after: -1".to_owned(), None),
        (400, "retry-after: 7".to_owned(), None),
    ];
    for (status, headers, after) in rows {
        let error = of(plain(status, JSON, &format!("{headers}\r\n"), "{}"), false).await.unwrap_err();
        assert_eq!(error.retry_after_value(), after, "{status} {headers}");
    }
    let far = httpdate_of(SystemTime::now() + Duration::from_secs(3_600));
    let error = of(plain(429, JSON, &format!("retry-after: {far}\r\n"), ""), false).await.unwrap_err();
    assert!(error.retry_after_value().is_some_and(|after| after > Duration::from_secs(3_000)));
}

fn httpdate_of(time: SystemTime) -> String {
    httpdate::fmt_http_date(time)
}

#[tokio::test]
async fn an_answer_that_is_none_is_told_with_its_first_words() {
    for stream in [false, true] {
        let error = of(whole("text/html", "<html>Please log in</html>"), stream).await.unwrap_err();
        assert_eq!((error.kind(), error.code_str()), (ErrorKind::Unavailable, "bad_response"));
        assert_eq!(error.details()["body"], "<html>Please log in</html>");
        assert_eq!(error.details()["content_type"], "text/html");
    }
    for body in ["", "data: [DONE]\n\n", "event: x\n\n"] {
        let error = of(whole(EVENTS, body), true).await.unwrap_err();
        assert_eq!(error.code_str(), "bad_response", "{body:?}");
    }
    let long = "x".repeat(5_000);
    let error = of(whole(JSON, &long), false).await.unwrap_err();
    assert_eq!(error.details()["body"].as_str().unwrap().len(), 200);
}

#[tokio::test]
async fn events_are_taken_and_so_is_a_whole_answer_where_events_were_asked_for() {
    assert_eq!(text_of(&of(whole(EVENTS, &hello()), true).await.unwrap()), ("Hello", "end_turn"));
    assert_eq!(
        text_of(&of(whole("Text/Event-Stream; charset=utf-8", &hello()), true).await.unwrap()).0,
        "Hello"
    );
    let body = json!({"content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}).to_string();
    assert_eq!(
        text_of(&of(whole("application/json; charset=utf-8", &body), true).await.unwrap()),
        ("Hi", "end_turn")
    );
}

#[tokio::test]
async fn marks_carriage_returns_and_comments_are_no_part_of_events() {
    let crlf = hello().replace('\n', "\r\n");
    for text in [format!("\u{feff}{}", hello()), format!("\u{feff}\u{feff}: hi\n\n{}", hello()), crlf] {
        assert_eq!(text_of(&of(whole(EVENTS, &text), true).await.unwrap()).0, "Hello", "{text:?}");
    }
    let bytes = format!("\u{feff}{}", hello()).into_bytes();
    let one_by_one: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(text_of(&of(chunked(EVENTS, &one_by_one, true), true).await.unwrap()).0, "Hello");
}

#[tokio::test]
async fn a_connection_that_breaks_is_no_answer_and_a_stream_that_ends_early_is_cut() {
    let events = hello();
    let half = events.split_once("data: {\"type\":\"content_block_stop\"").unwrap().0;
    let broken = of(chunked(EVENTS, &[half.as_bytes()], false), true).await.unwrap_err();
    assert_eq!((broken.kind(), broken.message()), (ErrorKind::Unavailable, "The model's answer broke off."));
    let ended = of(chunked(EVENTS, &[half.as_bytes()], true), true).await.unwrap();
    assert_eq!(text_of(&ended), ("Hello", "max_tokens"));
    let broken = of(chunked(JSON, &[b"{\"content\":["], false), false).await.unwrap_err();
    assert_eq!(broken.message(), "The model's answer broke off.");
}

#[tokio::test]
async fn a_provider_that_fails_while_it_answers_is_told_by_what_it_says() {
    let rows = [
        (
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Busy."}}),
            ErrorKind::Unavailable,
        ),
        (
            json!({"type": "error", "error": {"type": "rate_limit_error", "message": "Busy."}}),
            ErrorKind::RateLimited,
        ),
        (json!({"type": "error", "code": "rate_limit_exceeded", "message": "Busy."}), ErrorKind::RateLimited),
        (
            json!({"type": "response.failed", "response": {"error": {"code": "server_error", "message": "Busy."}}}),
            ErrorKind::Unavailable,
        ),
        (
            json!({"error": {"code": 400, "message": "Busy.", "status": "INVALID_ARGUMENT"}}),
            ErrorKind::Failed,
        ),
        (json!({"error": {"code": "invalid_api_key", "message": "Busy."}}), ErrorKind::Denied),
    ];
    for (event, kind) in rows {
        let error = of(whole(EVENTS, &format!("{}data: {event}\n\n", hello())), true).await.unwrap_err();
        assert_eq!((error.kind(), &error.details()["message"]), (kind, &json!("Busy.")), "{event}");
    }
    let failed =
        json!({"status": "failed", "output": [], "error": {"code": "server_error", "message": "Busy."}});
    let error = of(whole(JSON, &failed.to_string()), false).await.unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::Unavailable, "provider_failed"));
    let fine = json!({"status": "completed", "output": [], "error": null});
    assert_eq!(of(whole(JSON, &fine.to_string()), false).await.unwrap(), fine);
}

#[tokio::test]
async fn what_does_not_end_is_left_at_the_limit() {
    for (kind, stream) in [(JSON, false), (EVENTS, true)] {
        let server = Canned::answering([Answer::Endless(kind, MAX_BODY_BYTES + (1 << 20))]);
        let error = ask(&model(DialectId::Anthropic, &server.url()).stream(stream)).await.unwrap_err();
        assert_eq!((error.kind(), error.code_str()), (ErrorKind::Failed, "response_too_large"), "{kind}");
    }
}

#[tokio::test]
async fn who_does_not_answer_in_time_is_not_waited_for() {
    let starts = [Vec::new(), chunked(JSON, &[b"{"], false), chunked(EVENTS, &[hello().as_bytes()], false)];
    for (start, stream) in starts.into_iter().zip([false, false, true]) {
        let server = Canned::answering([Answer::Hang(start)]);
        let model =
            model(DialectId::Anthropic, &server.url()).stream(stream).timeout(Duration::from_millis(300));
        let error = ask(&model).await.unwrap_err();
        assert_eq!(
            (error.kind(), error.message()),
            (ErrorKind::Timeout, "The model did not answer in time.")
        );
    }
}

#[tokio::test]
async fn nobody_there_is_unavailable() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = ask(&model(DialectId::Gemini, &format!("http://127.0.0.1:{port}"))).await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Unavailable, "The model could not be reached."));
}

#[tokio::test]
async fn a_key_is_in_one_header_and_in_nothing_that_is_told() {
    for (dialect, header) in
        DIALECTS.into_iter().zip(["x-api-key", "authorization", "authorization", "x-goog-api-key"])
    {
        let said = format!("Incorrect key: {KEY}.");
        let answers = [
            plain(401, JSON, "", &json!({"error": {"message": said}}).to_string()),
            plain(500, "text/plain", "", &said),
            whole("text/plain", &said),
            whole(JSON, &json!({"error": {"message": said}}).to_string()),
        ];
        for answer in answers {
            let server = Canned::answering([Answer::Bytes(answer)]);
            let model = model(dialect, &server.url());
            let error = ask(&model).await.unwrap_err();
            let told = format!("{error:?} {error} {} {model:?}", error.to_json());
            assert!(!told.contains(KEY), "{dialect}: {told}");
            assert!(told.contains("Incorrect key: [secret]."), "{dialect}: {told}");
            let (head, body) = server.requests()[0]
                .split_once("\r\n\r\n")
                .map(|(a, b)| (a.to_owned(), b.to_owned()))
                .unwrap();
            assert_eq!((head.matches(KEY).count(), body.matches(KEY).count()), (1, 0), "{dialect}");
            let line = head.lines().find(|line| line.contains(KEY)).unwrap();
            assert!(line.to_lowercase().starts_with(&format!("{header}: ")), "{dialect}: {header}");
        }
    }
    let body =
        json!({"content": [{"type": "text", "text": format!("It is {KEY}.")}], "stop_reason": "end_turn"});
    assert_eq!(text_of(&of(whole(JSON, &body.to_string()), false).await.unwrap()).0, "It is [secret].");
}

#[tokio::test]
async fn a_key_is_wanted_where_the_server_is_not_this_machine() {
    let plan = DialectId::Anthropic.plan(&[], &PlanOptions::default()).unwrap();
    let request = ModelRequest { plan: &plan, system: None, messages: &[], turn: 0 };
    let far = HttpModel::new(DialectId::Anthropic, "m-1").unwrap();
    let error = far.respond(&request, &ToolContext::empty()).await.unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::NotConfigured, "secret_missing"));
    assert!(error.message().contains("ANTHROPIC_API_KEY"));
    let server = Canned::answering([Answer::Bytes(whole(JSON, r#"{"content":[]}"#))]);
    let near = model(DialectId::Anthropic, &server.url());
    near.respond(&request, &ToolContext::empty()).await.unwrap();
    assert!(server.requests()[0].to_lowercase().contains("x-api-key: loopback\r\n"));
}

#[tokio::test]
async fn addresses_are_checked_and_odd_names_of_models_stay_in_the_path() {
    for address in ["", "127.0.0.1:80", "ftp://x", "http://", "file:///etc/passwd"] {
        let model = HttpModel::new(DialectId::Gemini, "m-1").unwrap();
        assert_eq!(model.base_url(address).unwrap_err().kind(), ErrorKind::InvalidArgs, "{address}");
    }
    let error =
        HttpModel::new(DialectId::Gemini, "m-1").unwrap().base_url("http://me:pass@127.0.0.1/").unwrap_err();
    assert!(!format!("{error:?}").contains("pass@"), "{error:?}");
    assert_eq!(HttpModel::new(DialectId::Mcp20260728, "m-1").unwrap_err().kind(), ErrorKind::InvalidArgs);
    let server = Canned::answering([Answer::Bytes(whole(JSON, "{}"))]);
    let odd = HttpModel::new(DialectId::Gemini, "a?b#c d")
        .unwrap()
        .base_url(&format!("{}/proxy/", server.url()))
        .unwrap();
    ask(&odd.stream(true)).await.unwrap();
    let line = server.requests()[0].lines().next().unwrap().to_owned();
    assert_eq!(line, "POST /proxy/v1beta/models/a%3Fb%23c%20d:streamGenerateContent?alt=sse HTTP/1.1");
}
