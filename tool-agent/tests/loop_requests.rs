//! What the loop asks a model, how often, and until when. (dialects.md §12, rules 1, 3, 5 and 6)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_agent::{Model, ModelRequest, OnText, Outcome, Run, ScriptedModel, Step, ToolLoop};
use tool_core::dialect::{DialectId, Stop};
use tool_core::prelude::*;
use tool_core::{BoxFuture, Coordinates, ErrorKind, Executor, LimitSettings, Registry};

/// Gives its text back.
#[tool(register = false)]
fn say(
    /** The text. */
    text: String,
) -> String {
    text
}

/// Changes something.
#[tool(register = false, side_effect, idempotent)]
fn change() -> u32 {
    1
}

fn registry() -> Registry {
    Registry::builder().add::<SayTool>().add::<ChangeTool>().build().unwrap()
}

fn executor() -> Executor {
    Executor::standard(registry()).build().unwrap()
}

/// A model that answers these, then hangs, and keeps every history that it was sent.
#[derive(Clone)]
struct Answers {
    answers: Arc<Mutex<VecDeque<Result<Value, ToolError>>>>,
    histories: Arc<Mutex<Vec<Vec<Value>>>>,
    dialect: DialectId,
}

impl Answers {
    fn of(dialect: DialectId, answers: impl IntoIterator<Item = Result<Value, ToolError>>) -> Answers {
        let answers = Arc::new(Mutex::new(answers.into_iter().collect()));
        Answers { answers, histories: Arc::default(), dialect }
    }

    async fn run(&self, cx: &ToolContext) -> Run {
        ToolLoop::new(self.clone(), executor()).run("Go.", cx).await
    }

    fn asked(&self) -> usize {
        self.histories.lock().unwrap().len()
    }
}

impl Model for Answers {
    fn dialect(&self) -> DialectId {
        self.dialect
    }

    fn respond<'a>(
        &'a self,
        request: &'a ModelRequest<'a>,
        _: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        self.histories.lock().unwrap().push(request.messages.to_vec());
        let answer = self.answers.lock().unwrap().pop_front();
        Box::pin(async move {
            match answer {
                Some(answer) => answer,
                None => std::future::pending().await,
            }
        })
    }
}

fn anthropic(content: Value, reason: &str) -> Value {
    json!({"role": "assistant", "content": content, "stop_reason": reason})
}

fn hello() -> Value {
    anthropic(json!([{"type": "text", "text": "Hello."}]), "end_turn")
}

#[tokio::test(start_paused = true)]
async fn a_model_that_says_when_to_come_back_is_waited_for_that_long() {
    let limited = ToolError::rate_limited("Wait.").retry_after(Duration::from_secs(30));
    let busy = ToolError::unavailable("Busy.").retry_after(Duration::from_secs(7));
    let model = Answers::of(DialectId::Anthropic, [Err(limited), Err(busy), Ok(hello())]);
    let began = tokio::time::Instant::now();
    let run = model.run(&ToolContext::empty()).await;
    assert!(matches!(run.outcome, Outcome::Text(text) if text == "Hello."));
    assert_eq!((began.elapsed().as_secs(), model.asked()), (37, 3));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_none_is_asked_for_again_and_three_of_them_fail() {
    let model = Answers::of(DialectId::Anthropic, [Ok(json!({"oops": 1})), Ok(hello())]);
    assert!(matches!(model.run(&ToolContext::empty()).await.outcome, Outcome::Text(_)));
    let model = Answers::of(DialectId::Anthropic, (0..3).map(|_| Ok(json!({"oops": 1}))));
    let run = model.run(&ToolContext::empty()).await;
    assert!(matches!(&run.outcome, Outcome::Failed(error) if error.code_str() == "bad_response"), "{run:?}");
    assert_eq!(model.asked(), 3);
}

#[tokio::test(start_paused = true)]
async fn other_failures_are_not_tried_again() {
    let kinds = [
        ErrorKind::Denied,
        ErrorKind::NotFound,
        ErrorKind::Failed,
        ErrorKind::Timeout,
        ErrorKind::NotConfigured,
    ];
    for kind in kinds {
        let model = Answers::of(DialectId::Anthropic, [Err(ToolError::new(kind, "No."))]);
        let run = model.run(&ToolContext::empty()).await;
        assert!(matches!(&run.outcome, Outcome::Failed(error) if error.kind() == kind), "{run:?}");
        assert_eq!(model.asked(), 1, "{kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn cancellation_and_deadline_reach_a_request_and_a_wait() {
    let call = anthropic(
        json!([{"type": "tool_use", "id": "a", "name": "say", "input": {"text": "x"}}]),
        "tool_use",
    );
    let model = Answers::of(DialectId::Anthropic, [Ok(call)]);
    let cx = ToolContext::empty();
    let (run, ()) = tokio::join!(model.run(&cx), async {
        while model.asked() < 2 {
            tokio::task::yield_now().await;
        }
        cx.cancel();
    });
    assert!(
        matches!(&run.outcome, Outcome::Failed(error) if error.kind() == ErrorKind::Cancelled),
        "{run:?}"
    );
    assert_eq!(run.turns[0].calls[0].result.as_ref().unwrap().data(), "x", "what is done stays");

    let late = || ToolContext::builder().deadline(Instant::now() + Duration::from_secs(5)).build();
    let run = Answers::of(DialectId::Anthropic, []).run(&late()).await;
    assert!(matches!(&run.outcome, Outcome::Failed(error) if error.kind() == ErrorKind::Timeout), "{run:?}");
    let wait = ToolError::rate_limited("Wait.").retry_after(Duration::from_secs(3_600));
    let run = Answers::of(DialectId::Anthropic, [Err(wait)]).run(&late()).await;
    assert!(matches!(&run.outcome, Outcome::Failed(error) if error.kind() == ErrorKind::Timeout), "{run:?}");
}

#[tokio::test]
async fn a_refused_reply_ends_the_run_and_its_calls_are_not_run() {
    let content = json!([{"type": "text", "text": "No."}, {"type": "tool_use", "id": "a", "name": "change", "input": {}}]);
    for reason in ["refusal", "tool_use"] {
        let model = Answers::of(DialectId::Anthropic, [Ok(anthropic(content.clone(), reason)), Ok(hello())]);
        let run = model.run(&ToolContext::empty()).await;
        match reason {
            "refusal" => {
                assert!(matches!(&run.outcome, Outcome::Refused(text) if text == "No."), "{run:?}");
                assert!(run.turns[0].calls.is_empty() && run.turns[0].stop == Stop::Refused);
            }
            _ => assert_eq!(run.turns[0].calls[0].result.as_ref().unwrap().data(), 1),
        }
    }
}

#[tokio::test]
async fn a_call_that_was_cut_off_is_told_so_and_the_run_goes_on() {
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "say", "arguments": arguments}});
    let message = json!({"role": "assistant", "content": null, "tool_calls": [call("a", "{\"text\":\"x\"}"), call("b", "{\"te")]});
    let cut = json!({"choices": [{"message": message, "finish_reason": "length"}]});
    let done =
        json!({"choices": [{"message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}]});
    let model = Answers::of(DialectId::OpenAiChat, [Ok(cut), Ok(done)]);
    let run = model.run(&ToolContext::empty()).await;
    assert!(matches!(run.outcome, Outcome::Text(_)));
    assert_eq!(run.turns[0].calls[0].result.as_ref().unwrap().data(), "x");
    assert_eq!(run.turns[0].calls[1].result.as_ref().unwrap_err().code_str(), "cut_off");
}

#[tokio::test]
async fn a_reply_that_says_nothing_is_not_sent_back() {
    let empty = [
        (DialectId::Anthropic, anthropic(json!([]), "end_turn")),
        (DialectId::Anthropic, anthropic(json!([{"type": "text", "text": ""}]), "end_turn")),
        (
            DialectId::OpenAiChat,
            json!({"choices": [{"message": {"role": "assistant", "content": null}, "finish_reason": "stop"}]}),
        ),
        (DialectId::OpenAiResponses, json!({"status": "completed", "output": []})),
        (
            DialectId::Gemini,
            json!({"candidates": [{"content": {"role": "model", "parts": []}, "finishReason": "STOP"}]}),
        ),
        (
            DialectId::Gemini,
            json!({"candidates": [{"content": {"role": "model"}, "finishReason": "MALFORMED_FUNCTION_CALL"}]}),
        ),
        (
            DialectId::Gemini,
            json!({"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP"}]}),
        ),
    ];
    for (dialect, body) in empty {
        let model = Answers::of(dialect, [Ok(body.clone()), Err(ToolError::failed("Enough."))]);
        let nudge = OnText::Nudge { times: 1, message: "Go on.".to_owned() };
        ToolLoop::new(model.clone(), executor()).on_text(nudge).run("Go.", &ToolContext::empty()).await;
        let histories = model.histories.lock().unwrap();
        let roles: Vec<&Value> = histories[1].iter().map(|message| &message["role"]).collect();
        assert_eq!(roles, ["user", "user"], "{dialect}: {body}");
    }
}

#[tokio::test]
async fn what_a_provider_signed_is_sent_back_as_it_came() {
    let call = json!({"functionCall": {"name": "say", "args": {"text": "x"}}, "thoughtSignature": "c2ln"});
    let parts = json!([{"text": "Hm.", "thought": true}, call, {"text": "", "thoughtSignature": "ZW5k"}]);
    let body =
        json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]});
    let model = Answers::of(DialectId::Gemini, [Ok(body), Err(ToolError::failed("Enough."))]);
    model.run(&ToolContext::empty()).await;
    assert_eq!(model.histories.lock().unwrap()[1][1], json!({"role": "model", "parts": parts}));
}

#[tokio::test]
async fn the_budget_of_calls_of_a_run_ends_it() {
    let limits = LimitSettings { calls_per_run: 2, ..LimitSettings::default() };
    let executor = Executor::standard(registry()).limit(limits).build().unwrap();
    let steps = (0..3).map(|i| Step::call("say", json!({"text": i.to_string()})));
    let cx = ToolContext::builder().at(Coordinates::new("run-1")).build();
    let run = ToolLoop::new(ScriptedModel::new(DialectId::Anthropic, steps), executor).run("Go.", &cx).await;
    assert!(matches!(run.outcome, Outcome::Limit("calls")), "{run:?}");
    assert_eq!(run.turns.len(), 3);
    assert_eq!(run.turns[2].calls[0].result.as_ref().unwrap_err().code_str(), "call_budget");
}

#[tokio::test]
async fn without_a_limit_of_turns_a_run_goes_on() {
    let limits = tool_agent::LoopLimits { turns: None, ..tool_agent::LoopLimits::default() };
    let steps = (0..60).map(|i| Step::call("say", json!({"text": i.to_string()}))).chain([Step::text("ok")]);
    let all = ToolLoop::new(ScriptedModel::new(DialectId::Gemini, steps), executor()).limits(limits);
    assert!(matches!(all.run("Go.", &ToolContext::empty()).await.outcome, Outcome::Text(_)));
    let steps = (0..50).map(|i| Step::call("say", json!({"text": i.to_string()})));
    let fifty = ToolLoop::new(ScriptedModel::new(DialectId::Gemini, steps), executor());
    let run = fifty.run("Go.", &ToolContext::empty()).await;
    assert!(matches!(run.outcome, Outcome::Limit("turns")) && run.turns.len() == 50);
}

#[tokio::test]
#[should_panic(expected = "turn 1: the request is not what was expected; last message: {\"role\":\"user\"")]
async fn an_expectation_that_is_not_met_fails_its_test() {
    let steps = [Step::call("say", json!({"text": "x"})), Step::expect(|_| false), Step::text("ok")];
    ToolLoop::new(ScriptedModel::new(DialectId::Anthropic, steps), executor())
        .run("Go.", &ToolContext::empty())
        .await;
}

#[test]
#[should_panic(expected = "the model was not asked as scripted:\nnobody asked for Text(\"ok\")")]
fn steps_that_nobody_asks_for_fail_the_test() {
    drop(ScriptedModel::new(DialectId::Anthropic, [Step::text("ok")]));
}

#[test]
fn steps_that_somebody_has_looked_at_do_not() {
    let model = ScriptedModel::new(DialectId::Anthropic, [Step::expect(|_| true), Step::text("ok")]);
    assert_eq!(model.forgive(), 2);
}
