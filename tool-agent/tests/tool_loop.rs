//! The rules of the loop, each with a test of its name. (dialects.md §12)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::Notify;
use tool_agent::{LoopLimits, ModelRequest, OnText, Outcome, Run, ScriptedModel, Step, ToolLoop};
use tool_core::dialect::{DialectId, Stop};
use tool_core::prelude::*;
use tool_core::{ErrorKind, Executor, Finish, Registry};

/// What tools share: how many run, and the most that ever ran at once.
#[derive(Default)]
struct Bench {
    running: AtomicUsize,
    most: AtomicUsize,
    count: AtomicUsize,
    begun: Notify,
}

impl Bench {
    async fn busy(&self) {
        let now = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(50)).await;
        self.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Reads slowly.
#[tool(register = false)]
async fn look(
    /** What. */
    at: String,
    #[ctx] bench: &Bench,
) -> String {
    bench.busy().await;
    at
}

/// Writes slowly.
#[tool(register = false, side_effect, idempotent)]
async fn change(
    /** What. */
    what: String,
    #[ctx] bench: &Bench,
) -> String {
    bench.busy().await;
    what
}

/// Answers otherwise each time.
#[tool(register = false)]
fn poll(#[ctx] bench: &Bench) -> usize {
    bench.count.fetch_add(1, Ordering::SeqCst)
}

/// Never answers.
#[tool(register = false)]
async fn hang(#[ctx] bench: &Bench) -> String {
    bench.begun.notify_one();
    std::future::pending().await
}

/// Ends the run.
#[tool(register = false, terminal)]
fn done(
    /** The answer. */
    answer: u32,
) -> Result<Finish<u32>, ToolError> {
    if answer == 13 { Err(ToolError::failed("Not that one.")) } else { Ok(Finish(answer)) }
}

const DIALECTS: [DialectId; 4] =
    [DialectId::Anthropic, DialectId::OpenAiChat, DialectId::OpenAiResponses, DialectId::Gemini];

fn executor() -> Executor {
    let tools = Registry::builder().add::<LookTool>().add::<ChangeTool>().add::<PollTool>();
    Executor::standard(tools.add::<HangTool>().add::<DoneTool>().build().unwrap()).build().unwrap()
}

fn context() -> (ToolContext, Arc<Bench>) {
    let bench = Arc::new(Bench::default());
    (ToolContext::builder().provide_arc(Arc::clone(&bench)).build(), bench)
}

fn scripted(dialect: DialectId, steps: impl IntoIterator<Item = Step>) -> ToolLoop {
    ToolLoop::new(ScriptedModel::new(dialect, steps), executor())
}

async fn run(steps: impl IntoIterator<Item = Step>) -> Run {
    scripted(DialectId::Anthropic, steps).run("Go.", &context().0).await
}

fn look_at(what: &str) -> (&str, Value) {
    ("look", json!({"at": what}))
}

fn code(run: &Run, turn: usize, call: usize) -> &str {
    run.turns[turn].calls[call].result.as_ref().unwrap_err().code_str()
}

fn last_says(request: &ModelRequest<'_>, text: &str) -> bool {
    request.messages.last().is_some_and(|last| last.to_string().contains(text))
}

#[tokio::test]
async fn a_turn_is_appended_whole_and_each_call_has_one_result() {
    for dialect in DIALECTS {
        let steps = [
            Step::calls([look_at("a"), ("nope", json!({})), ("look", json!({"att": 1}))]),
            Step::expect(|request| {
                let text = serde_json::to_string(request.messages).unwrap();
                ["Go.", "unknown_tool", "/att"].iter().all(|part| text.contains(part))
            }),
            Step::text("Done."),
        ];
        let run = scripted(dialect, steps).run("Go.", &context().0).await;
        assert!(
            matches!(&run.outcome, Outcome::Text(text) if text == "Done."),
            "{dialect}: {:?}",
            run.outcome
        );
        assert_eq!(run.turns.len(), 2);
        assert_eq!(run.turns[0].calls[0].result.as_ref().unwrap().data(), "a");
        assert_eq!((code(&run, 0, 1), code(&run, 0, 2)), ("unknown_tool", "invalid_args"), "{dialect}");
    }
}

#[tokio::test]
async fn a_call_that_cannot_be_read_is_not_run_and_its_error_is_its_result() {
    let body = json!({"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "function": {"name": "look", "arguments": "{'at':'x'}"}},
        {"id": "b", "function": {"name": "look", "arguments": "{\"at\":\"y\"}"}}]}, "finish_reason": "tool_calls"}]});
    let run =
        scripted(DialectId::OpenAiChat, [Step::raw(body), Step::text("ok")]).run("Go.", &context().0).await;
    assert_eq!(code(&run, 0, 0), "malformed_json");
    assert_eq!(run.turns[0].calls[1].result.as_ref().unwrap().data(), "y");
}

#[tokio::test(start_paused = true)]
async fn reads_overlap_and_writes_do_not() {
    let (cx, bench) = context();
    let reads = Step::calls([look_at("a"), look_at("b"), look_at("c")]);
    scripted(DialectId::Gemini, [reads, Step::text("ok")]).run("Go.", &cx).await;
    assert_eq!(bench.most.swap(0, Ordering::SeqCst), 3);
    let writes = Step::calls([("change", json!({"what": "a"})), ("change", json!({"what": "b"}))]);
    scripted(DialectId::Gemini, [writes, Step::text("ok")]).run("Go.", &cx).await;
    assert_eq!(bench.most.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_terminal_call_that_succeeds_ends_the_run_after_its_siblings() {
    let run = run([Step::calls([("done", json!({"answer": 7})), look_at("slow")])]).await;
    assert!(
        matches!(&run.outcome, Outcome::Finished(finish) if finish.data == 7 && finish.outcome == "done")
    );
    assert_eq!(run.turns[0].calls[1].result.as_ref().unwrap().data(), "slow");
}

#[tokio::test]
async fn a_second_terminal_call_is_refused_and_one_that_fails_or_is_malformed_ends_nothing() {
    let both = run([Step::calls([("done", json!({"answer": 1})), ("done", json!({"answer": 2}))])]).await;
    assert!(matches!(&both.outcome, Outcome::Finished(finish) if finish.data == 1));
    assert_eq!(code(&both, 0, 1), "already_finished");
    let bad = Step::calls([("done", json!({"answer": 13})), ("done", json!({"answer": "x"}))]);
    let later = run([bad, Step::call("done", json!({"answer": 3}))]).await;
    assert_eq!((code(&later, 0, 0), code(&later, 0, 1)), ("failed", "invalid_args"));
    assert!(matches!(&later.outcome, Outcome::Finished(finish) if finish.data == 3));
}

#[tokio::test]
async fn a_reply_without_a_call_means_what_on_text_says() {
    let nudge = OnText::Nudge { times: 1, message: "Use the tool.".to_owned() };
    let told = Step::expect(|request| last_says(request, "Use the tool."));
    let steps = [Step::text("Hm."), told, Step::text("Still.")];
    let nudged = scripted(DialectId::Anthropic, steps).on_text(nudge).run("Go.", &context().0).await;
    assert!(matches!(nudged.outcome, Outcome::Text(text) if text == "Still."));
    let failing = scripted(DialectId::Anthropic, [Step::text("Hm.")]).on_text(OnText::Fail);
    let failed = failing.run("Go.", &context().0).await;
    assert!(matches!(failed.outcome, Outcome::Failed(error) if error.code_str() == "no_call"));
    assert!(matches!(run([Step::text("Hm.")]).await.outcome, Outcome::Text(text) if text == "Hm."));
}

#[tokio::test]
async fn replies_that_are_no_answer_are_told_apart() {
    let body = |reason: &str, text: &str| {
        Step::raw(json!({"content": [{"type": "text", "text": text}], "stop_reason": reason}))
    };
    assert!(matches!(run([body("refusal", "No.")]).await.outcome, Outcome::Refused(text) if text == "No."));
    assert!(matches!(run([body("max_tokens", "And")]).await.outcome, Outcome::Limit("output")));
    let paused = run([body("pause_turn", "One moment"), Step::text("Now.")]).await;
    assert!(matches!(paused.outcome, Outcome::Text(text) if text == "Now."));
    assert_eq!(paused.turns[0].stop, Stop::Paused);
    let malformed =
        json!({"candidates": [{"content": {"parts": []}, "finishReason": "MALFORMED_FUNCTION_CALL"}]});
    let told = Step::expect(|request| last_says(request, "Your last function call was malformed."));
    let again = scripted(DialectId::Gemini, [Step::raw(malformed), told, Step::text("Ok.")]);
    assert!(matches!(again.run("Go.", &context().0).await.outcome, Outcome::Text(_)));
}

#[tokio::test]
async fn turns_end_and_so_do_equal_ones_while_a_poll_goes_on() {
    let limits = LoopLimits { turns: Some(2), ..LoopLimits::default() };
    let steps = (0..2).map(|i| Step::call("look", json!({"at": i.to_string()})));
    let ended = scripted(DialectId::Anthropic, steps).limits(limits).run("Go.", &context().0).await;
    assert!(matches!(ended.outcome, Outcome::Limit("turns")) && ended.turns.len() == 2);
    let same = run((0..3).map(|_| Step::call("look", json!({"at": "a"})))).await;
    assert!(matches!(same.outcome, Outcome::Limit("repeats")) && same.turns.len() == 3);
    let polls = (0..5).map(|_| Step::call("poll", json!({}))).chain([Step::text("ok")]);
    assert!(matches!(run(polls).await.outcome, Outcome::Text(_)));
}

#[tokio::test]
async fn the_thirty_third_call_of_a_turn_is_not_run() {
    let (cx, bench) = context();
    let calls = Step::calls((0..33).map(|_| ("poll", json!({}))));
    let run = scripted(DialectId::Anthropic, [calls, Step::text("ok")]).run("Go.", &cx).await;
    assert_eq!(bench.count.load(Ordering::SeqCst), 32);
    assert_eq!(code(&run, 0, 32), "too_many_calls");
    assert_eq!(run.turns[0].calls.len(), 33);
}

#[tokio::test]
async fn cancelling_inside_a_call_ends_the_run_with_its_results() {
    let (cx, bench) = context();
    let steps = [Step::call("look", json!({"at": "a"})), Step::call("hang", json!({}))];
    let tool_loop = scripted(DialectId::Anthropic, steps);
    let (run, ()) = tokio::join!(tool_loop.run("Go.", &cx), async {
        bench.begun.notified().await;
        cx.cancel();
    });
    assert!(
        matches!(&run.outcome, Outcome::Failed(error) if error.kind() == ErrorKind::Cancelled),
        "{run:?}"
    );
    assert_eq!(run.turns[0].calls[0].result.as_ref().unwrap().data(), "a");
    assert_eq!(run.turns[1].calls[0].result.as_ref().unwrap_err().kind(), ErrorKind::Cancelled);
}

#[tokio::test]
async fn the_deadline_reaches_the_model() {
    let bench = Arc::new(Bench::default());
    let cx = ToolContext::builder().provide_arc(bench).deadline(Instant::now()).build();
    let run = scripted(DialectId::Anthropic, []).run("Go.", &cx).await;
    assert!(matches!(run.outcome, Outcome::Failed(error) if error.kind() == ErrorKind::Timeout));
}

#[tokio::test(start_paused = true)]
async fn what_is_unavailable_is_tried_three_times() {
    let began = tokio::time::Instant::now();
    let twice = [Step::error(ErrorKind::Unavailable), Step::error(ErrorKind::RateLimited), Step::text("ok")];
    assert!(matches!(run(twice).await.outcome, Outcome::Text(_)));
    assert_eq!(began.elapsed().as_secs(), 5);
    let thrice = (0..3).map(|_| Step::error(ErrorKind::Unavailable));
    assert!(
        matches!(run(thrice).await.outcome, Outcome::Failed(error) if error.kind() == ErrorKind::Unavailable)
    );
    let denied = run([Step::error(ErrorKind::Denied)]).await;
    assert!(matches!(denied.outcome, Outcome::Failed(error) if error.kind() == ErrorKind::Denied));
}

#[tokio::test]
#[should_panic(expected = "turn 1: the script has no step left; last message:")]
async fn a_script_that_is_too_short_fails_its_test() {
    run([Step::call("look", json!({"at": "a"}))]).await;
}

/// Counts its calls.
#[tool(register = false, side_effect, idempotent = false)]
fn count(#[ctx] bench: &Bench) -> usize {
    bench.count.fetch_add(1, Ordering::SeqCst) + 1
}

#[tokio::test]
async fn equal_calls_of_two_conversations_are_two_calls_in_the_journal() {
    let journal = Arc::new(tool_core::journal::MemoryJournal::new());
    let (cx, _) = context();
    for nth in 1..=2 {
        // The first call of the first turn has no id on this wire.
        let registry = Registry::builder().add::<CountTool>().build().unwrap();
        let recorded = Executor::standard(registry);
        let recorded =
            recorded.journal(journal.clone(), tool_core::JournalMode::All, "test 1").build().unwrap();
        let steps = [Step::call("count", json!({})), Step::text("ok")];
        let run = ToolLoop::new(ScriptedModel::new(DialectId::Gemini, steps), recorded).run("Go.", &cx).await;
        assert_eq!(run.turns[0].calls[0].result.as_ref().unwrap().data(), nth, "{:?}", run.turns[0].calls);
    }
}
