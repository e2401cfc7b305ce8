//! One audit row per call, which says how it ended, and no secret in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tool_core::journal::{Journal as _, MemoryJournal, RowQuery};
use tool_core::prelude::*;
use tool_core::{
    AuditRow, AuditSettings, AuditSink, Behavior, Call, Caller, Content, DynTool, ErrorKind, Executor,
    JournalAudit, JournalMode, JsonLines, ReadResultTool, Registry, ShapeSettings, Snapshot, TracingAudit,
};
use tool_trials::Log;

use crate::policy_of_one;
use crate::scene::{CANARY, Rows, audited, call, registry, secrets};

#[tokio::test(start_paused = true)]
async fn each_kind_of_ending_has_one_audit_row_that_says_it() {
    let rows = Rows::default();
    let shape = ShapeSettings { secrets: secrets(), ..ShapeSettings::default() };
    let executor = Executor::standard(registry()).audit(audited(&rows)).shape(shape).trace().build().unwrap();
    assert_eq!(executor.layers(), ["trace", "audit", "decode", "shape", "run"]);
    for kind in ErrorKind::all() {
        let error = call(&executor, "end", json!({"how": kind.as_str()})).await.unwrap_err();
        assert_eq!(error.kind(), kind);
        let told = rows.take();
        assert_eq!(told.len(), 1, "{kind:?}");
        assert_eq!((told[0].outcome, told[0].code.as_deref()), (kind.as_str(), Some(kind.as_str())));
        assert_eq!((told[0].tool.as_str(), told[0].agent.as_str()), ("end", "bot"));
        assert!(!error.to_json().to_string().contains(CANARY), "{error}");
    }
    for (how, outcome, code) in
        [("ok", "ok", None), ("panic", "internal", Some("panic")), ("hang", "timeout", Some("timeout"))]
    {
        let _ = call(&executor, "end", json!({"how": how})).await;
        let told = rows.take();
        assert_eq!((told.len(), told[0].outcome, told[0].code.as_deref()), (1, outcome, code));
    }
    let _ = call(&executor, "end", json!({"hw": 1})).await;
    let _ = call(&executor, "nothing", json!({"password": CANARY, "n": 1})).await;
    let told = rows.take();
    assert_eq!((told[0].outcome, told[1].outcome), ("invalid_args", "not_found"));
    assert_eq!(told[1].args, json!({"password": {"$redacted": "secret"}, "n": 1}));

    // A call whose caller goes away at its first wait.
    let mut left = Box::pin(call(&executor, "end", json!({"how": "hang"})));
    assert!(std::future::poll_fn(|cx| std::task::Poll::Ready(left.as_mut().poll(cx).is_pending())).await);
    drop(left);
    let told = rows.take();
    assert_eq!((told.len(), told[0].outcome), (1, "cancelled"));
}

#[tokio::test]
async fn a_known_secret_is_in_no_result_and_no_audit_row() {
    let file = tool_trials::directory();
    let path = file.path().join("audit.jsonl");
    let settings =
        AuditSettings { sinks: vec![Box::new(JsonLines::new(&path))], secrets: secrets(), required: true };
    let shape = ShapeSettings { secrets: secrets(), ..ShapeSettings::default() };
    let executor = Executor::standard(registry()).audit(settings).shape(shape).build().unwrap();
    let output = call(&executor, "leak", json!({"password": CANARY})).await.unwrap();
    let all = format!("{:?}", (&output.content, &output.structured, &output.meta));
    for hidden in [CANARY, "736b2d43414e", "CANARY"] {
        assert!(!all.contains(hidden), "{hidden} in {all}");
    }
    assert_eq!(output.content[0], Content::text("raw [secret:API_KEY]"));
    assert_eq!(output.content[1], Content::text("split [secret:API_KEY]"));
    assert_eq!(output.content[2], Content::text(" hex [secret:API_KEY]"));
    let _ = call(&executor, "end", json!({"how": "failed"})).await;
    let _ = call(&executor, "end", json!({"how": CANARY})).await;
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written.lines().count(), 3);
    assert!(!written.contains("CANARY"), "{written}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

/// What a call keeps besides its words.
#[derive(Clone, serde::Serialize, schemars::JsonSchema)]
struct Measured {
    /// Read by nobody.
    aside: String,
    /// What was measured.
    #[schemars(extend("x-log" = "hash"))]
    content: String,
    /// What whoever reads the audit must know.
    #[schemars(extend("x-log" = "full"))]
    reason: String,
    /// Read by nobody, too.
    words: String,
}

/// Measures.
#[tool(register = false)]
fn measure(
    /// Whether it fails with its result.
    fails: bool,
) -> Result<Measured, ToolError> {
    let long = |word: &str| word.repeat(100);
    let measured = Measured {
        aside: "a".repeat(90),
        content: long("content "),
        reason: long("reason "),
        words: "w".repeat(90),
    };
    match fails {
        false => Ok(measured),
        true => Err(ToolError::failed("It failed.")
            .content_detail("content", measured.content)
            .content_detail("elsewhere", "unmarked")
            .detail("reason", measured.reason)
            .detail("attempt", 1)),
    }
}

#[tokio::test]
async fn what_a_result_marks_full_is_whole_in_its_row_and_the_rest_is_cut() {
    let rows = Rows::default();
    let registry = Registry::builder().add::<MeasureTool>().build().unwrap();
    let executor = Executor::standard(registry).audit(audited(&rows)).build().unwrap();
    let reason = format!("\"reason\":\"{}\"", "reason ".repeat(100));
    for fails in [false, true] {
        assert_eq!(call(&executor, "measure", json!({"fails": fails})).await.is_err(), fails);
        let told = rows.take();
        let preview = told[0].output.as_ref().unwrap().preview.clone().unwrap();
        assert!(preview.contains(&reason), "{preview}");
        assert!(preview.contains("\"content\":{\"$redacted\":\"hash\",\"bytes\":800,"), "{preview}");
        assert!(!preview.contains("content content") && !preview.contains("unmarked"), "{preview}");
        let rest = preview.split_once(&reason).unwrap().1;
        match fails {
            // One JSON text, cut.
            false => {
                assert!(rest.starts_with(",\"aside\":\"aaa") && rest.chars().count() == 1 + 200, "{rest}")
            }
            true => assert_eq!(rest, "}", "what is no part of a result is no part of its row"),
        }
    }
}

/// A sink that works only when it is let.
struct Broken(Arc<AtomicUsize>);

impl AuditSink for Broken {
    fn write(&self, _: &AuditRow) -> Result<(), ToolError> {
        match self.0.load(Ordering::SeqCst) {
            0 => Err(ToolError::unavailable("The disk is full.")),
            _ => Ok(()),
        }
    }
}

#[tokio::test]
async fn a_failing_sink_changes_no_result_and_refuses_side_effects_only_where_audit_is_required() {
    let works = Arc::new(AtomicUsize::new(0));
    let settings = |required| AuditSettings {
        sinks: vec![Box::new(Broken(works.clone()))],
        secrets: secrets(),
        required,
    };
    let lax = Executor::standard(registry()).audit(settings(false)).build().unwrap();
    for _ in 0..2 {
        assert_eq!(call(&lax, "risky", json!({})).await.unwrap_err().code_str(), "unavailable");
    }
    let strict = Executor::standard(registry()).audit(settings(true)).build().unwrap();
    assert!(call(&strict, "end", json!({"how": "ok"})).await.is_ok());
    let refused = call(&strict, "risky", json!({})).await.unwrap_err();
    assert_eq!((refused.kind(), refused.code_str()), (ErrorKind::Unavailable, "audit_unavailable"));
    assert!(call(&strict, "end", json!({"how": "ok"})).await.is_ok(), "reads go on");
    works.store(1, Ordering::SeqCst);
    let _ = call(&strict, "risky", json!({})).await;
    assert_eq!(
        call(&strict, "risky", json!({})).await.unwrap_err().code_str(),
        "unavailable",
        "it runs again"
    );
}

#[tokio::test]
async fn gate_and_visibility_are_in_the_audit_row_with_the_secret_that_is_missing() {
    let rows = Rows::default();
    let registry = registry();
    let snapshot = Arc::new(Snapshot::builder("bot").build(&registry).unwrap());
    let executor = Executor::standard(registry).gate(snapshot).audit(audited(&rows)).build().unwrap();
    assert_eq!(executor.layers(), ["audit", "decode", "gate", "run"]);
    let _ = call(&executor, "rows", json!({"count": 1})).await;
    let row = &rows.take()[0];
    assert_eq!((row.layer.as_deref(), row.code.as_deref()), (Some("gate"), Some("tool_not_enabled")));
    assert_eq!(row.decision["gate"], json!({"reason": "not_enabled"}));
}

/// Waits until it may go on.
#[derive(Clone)]
struct Door(Arc<tokio::sync::Semaphore>);

/// Waits.
#[tool(register = false)]
async fn wait_for(#[ctx] door: &Door) -> Result<(), ToolError> {
    door.0.acquire().await.map(drop).map_err(|_| ToolError::failed("The door is gone."))
}

#[tokio::test]
async fn a_tool_disabled_while_it_runs_finishes_what_was_admitted_and_the_rows_tell_which() {
    let (rows, door) = (Rows::default(), Door(Arc::new(tokio::sync::Semaphore::new(0))));
    let registry = Registry::builder().add::<WaitForTool>().build().unwrap();
    let policy = |rows: &[&'static str], sha256| policy_of_one::OnePolicy {
        rows: rows.to_vec(),
        sha256,
        ..Default::default()
    };
    let executor = Executor::standard(registry)
        .policy(Arc::new(policy(&["*"], "old")))
        .audit(audited(&rows))
        .build()
        .unwrap();
    let ctx = ToolContext::builder().agent("bot").provide(door.clone()).build();
    let mut running: Vec<_> = (0..100)
        .map(|_| Box::pin(executor.call(Call::new("wait_for", json!({})), &ctx, Caller::Llm)))
        .collect();
    for call in &mut running {
        assert!(std::future::poll_fn(|cx| std::task::Poll::Ready(call.as_mut().poll(cx).is_pending())).await);
    }
    executor.reload(Arc::new(policy(&[], "new")));
    for _ in 0..10 {
        let later = executor.call(Call::new("wait_for", json!({})), &ctx, Caller::Llm).await.unwrap_err();
        assert_eq!((later.kind(), later.code_str()), (ErrorKind::Denied, "tool_not_enabled"));
    }
    door.0.add_permits(100);
    for call in running {
        call.await.unwrap();
    }
    let told = rows.take();
    let by =
        |sha256: &str| told.iter().filter(|row| row.decision["policy_sha256"] == sha256).collect::<Vec<_>>();
    let (old, new) = (by("old"), by("new"));
    assert_eq!((old.len(), new.len()), (100, 10));
    assert!(old.iter().all(|row| row.outcome == "ok") && new.iter().all(|row| row.outcome == "denied"));
}

/// What stands in a file.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Written {
    /// All of it.
    #[schemars(extend("x-log" = "hash"))]
    text: String,
}

/// Writes, and gives back what is there.
#[tool(side_effect, idempotent, register = false)]
fn written(
    /// How often a line is written.
    lines: usize,
) -> Written {
    Written { text: "what stands in the file\n".repeat(lines) }
}

#[tokio::test]
async fn what_a_model_reads_first_of_a_long_result_is_in_no_record() {
    let (journal, rows) = (MemoryJournal::new(), Rows::default());
    let registry = Registry::builder().add::<WrittenTool>().add::<ReadResultTool>().build().unwrap();
    let executor = Executor::standard(registry)
        .audit(audited(&rows))
        .journal(Arc::new(journal.another()), JournalMode::All, "tests")
        .shape(ShapeSettings::default());
    let executor = executor.build().unwrap();
    let mut parked = json!(null);
    for (tool, lines, is_parked) in
        [("written", 2, false), ("written", 2_000, true), ("read_result", 0, false)]
    {
        let args = match tool {
            "written" => json!({"lines": lines}),
            _ => json!({"id": parked, "page": 2}),
        };
        let output = call(&executor, tool, args).await.unwrap();
        assert_eq!(output.meta.contains_key("parked"), is_parked);
        parked = output.meta.get("parked").cloned().unwrap_or(parked);
        assert!(output.data().to_string().contains("what stands in the file"), "the model reads it");
        let recorded = journal.rows(&RowQuery::default()).await.unwrap();
        let recorded =
            recorded.iter().rfind(|row| row.tool_name == tool).unwrap().output_json.clone().unwrap();
        let audited = rows.take()[0].output.as_ref().unwrap().preview.clone().unwrap();
        for told in [recorded, audited] {
            assert!(told.contains("sha256") && !told.contains("what stands"), "{told}");
        }
    }
}

/// A sink that does not work and has its rows from elsewhere.
struct Odd;

impl AuditSink for Odd {
    fn write(&self, _: &AuditRow) -> Result<(), ToolError> {
        Err(ToolError::unavailable("Never."))
    }

    fn works(&self) -> bool {
        false
    }

    fn comes_with_outcomes(&self) -> bool {
        true
    }
}

#[test]
fn a_sink_that_says_nothing_works_and_is_written_to_and_a_shared_one_is_like_the_one_that_is_shared() {
    let said = |sink: &dyn AuditSink| (sink.works(), sink.comes_with_outcomes());
    let plain = || Broken(Arc::new(AtomicUsize::new(1)));
    assert_eq!((said(&plain()), said(&Arc::new(plain()))), ((true, false), (true, false)));
    assert_eq!((said(&Odd), said(&Arc::new(Odd))), ((false, true), (false, true)));
    let row = AuditRow::default();
    assert!(Arc::new(plain()).write(&row).is_ok() && Arc::new(Odd).write(&row).is_err());
}

#[tokio::test]
async fn the_first_row_that_is_lost_is_an_error_of_the_log_and_those_whose_callers_know_are_none() {
    let executor = || {
        let settings = AuditSettings {
            sinks: vec![Box::new(Broken(Arc::new(AtomicUsize::new(0))))],
            ..AuditSettings::default()
        };
        Executor::standard(registry()).retries(0).audit(settings).build().unwrap()
    };
    let told = |log: &Log| -> Vec<(bool, char)> {
        let text = log.text();
        let lines = text.lines().filter(|line| line.contains("an audit row is lost"));
        lines
            .map(|line| (line.contains("ERROR"), line.split("lost=").nth(1).unwrap().chars().next().unwrap()))
            .collect()
    };
    let (log, executor_of_reads) = (Log::default(), executor());
    let listening = log.of_this_thread();
    for _ in 0..3 {
        call(&executor_of_reads, "end", json!({"how": "ok"})).await.unwrap();
    }
    drop(listening);
    assert_eq!(told(&log), [(true, '1'), (false, '2'), (false, '3')]);

    let (log, executor) = (Log::default(), executor());
    let listening = log.of_this_thread();
    // That nothing is available is what the call fails with, too.
    call(&executor, "risky", json!({})).await.unwrap_err();
    call(&executor, "end", json!({"how": "ok"})).await.unwrap();
    drop(listening);
    assert_eq!(told(&log), [(false, '1'), (true, '2')]);
}

#[tokio::test]
async fn rows_as_events_of_the_log_have_the_whole_row() {
    let settings = AuditSettings { sinks: vec![Box::new(TracingAudit)], secrets: secrets(), required: false };
    let executor = Executor::standard(registry()).audit(settings).build().unwrap();
    let log = Log::default();
    let listening = log.of_this_thread();
    call(&executor, "end", json!({"how": "not_found"})).await.unwrap_err();
    drop(listening);
    let text = log.text();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("toolbox::audit")).collect();
    assert_eq!(lines.len(), 1, "{text}");
    for part in ["INFO", "tool=\"end\"", "outcome=\"not_found\"", "code=\"not_found\"", "args_sha256"] {
        assert!(lines[0].contains(part), "{part}: {text}");
    }
    assert!(!text.contains(CANARY), "{text}");
}

#[tokio::test]
async fn a_row_shows_the_beginning_of_what_a_model_reads_of_a_result_else_of_its_value() {
    let image = || Content::Image { data: "AAAA".to_owned(), mime_type: "image/png".to_owned() };
    let parts = ToolOutput::text("one").with_content(Content::Json { value: json!({"two": 2}) });
    for (output, shown) in [
        (parts.clone().with_content(image()), "one\n{\"two\":2}"),
        (ToolOutput::structured(json!({"b": 1, "a": [true]})), "{\"a\":[true],\"b\":1}"),
    ] {
        let tool = DynTool::builder("give").description("Gives.").behavior(Behavior::READ);
        let tool = tool.handler_sync(move |_, _| Ok(output.clone())).build().unwrap();
        let rows = Rows::default();
        let registry = Registry::builder().add_dyn(tool).build().unwrap();
        let executor = Executor::standard(registry).audit(audited(&rows)).build().unwrap();
        call(&executor, "give", json!({})).await.unwrap();
        let told = rows.take().pop().unwrap().output.unwrap();
        assert_eq!((told.preview.as_deref(), told.bytes), (Some(shown), shown.len()));
    }
}

#[tokio::test]
async fn a_row_says_whether_arguments_were_taken_for_what_they_were_not() {
    let rows = Rows::default();
    let executor = Executor::standard(registry()).audit(audited(&rows)).build().unwrap();
    for (count, coerced) in [(json!(1), false), (json!("1"), true)] {
        call(&executor, "rows", json!({"count": count})).await.unwrap();
        let row = rows.take().pop().unwrap();
        assert_eq!((row.coerced, row.args), (coerced, json!({"count": 1})));
    }
}

#[test]
fn a_journal_that_lost_a_row_does_not_work_as_a_sink() {
    // One in memory keeps none.
    let sink = JournalAudit::new(Arc::new(MemoryJournal::new()));
    assert!(sink.works() && sink.comes_with_outcomes());
    assert!(sink.write(&AuditRow::default()).is_err() && !sink.works());
}
