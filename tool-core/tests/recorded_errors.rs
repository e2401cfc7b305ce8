//! What the journal has of errors: what the schemas of a tool mark is hidden in them too, and the caller has it all the same.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at what it cannot build")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use tool_core::journal::{Journal, MemoryJournal, RowQuery};
use tool_core::{
    ArgIssue, Call, Caller, Effect, Executor, IssueCode, JournalMode, Registry, ToolContext, ToolError, tool,
};

/// What the tool of these tests marks.
#[derive(Serialize, JsonSchema)]
struct Found {
    #[schemars(extend("x-log" = "hash"))]
    text: String,
    pages: Vec<Page>,
    size: u32,
    kind: Option<Kind>,
}

/// Its alternatives stand in a list of schemas.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is read")]
enum Kind {
    Named {
        #[schemars(extend("x-log" = "omit"))]
        label: String,
    },
    Counted {
        count: u32,
    },
}

#[derive(Serialize, JsonSchema)]
struct Page {
    #[schemars(extend("x-log" = "omit"))]
    raw: String,
    number: u32,
}

/// How a call ends.
#[derive(Clone)]
struct End(Arc<dyn Fn() -> Result<Found, ToolError> + Send + Sync>);

/// Ends as it is told to.
#[tool(register = false)]
async fn end(
    /// A word that nobody writes down.
    #[arg(log = "secret")]
    pin: Option<&str>,
    /// A word.
    name: Option<&str>,
    #[ctx] end: &End,
    ctx: &ToolContext,
) -> Result<Found, ToolError> {
    let _ = (pin, name);
    if ctx.deadline().is_some_and(|deadline| deadline < Instant::now() + LATE) {
        ctx.cancelled().await;
    }
    (end.0)()
}

/// A call with less time than this waits until it is over.
const LATE: Duration = Duration::from_secs(5);

/// Makes one call that ends in an error: the error, and its recorded form.
async fn fail(
    end: impl Fn() -> Result<Found, ToolError> + Send + Sync + 'static,
    deadline: Option<Duration>,
) -> (Value, Value) {
    let journal = MemoryJournal::new();
    let executor = Executor::standard(Registry::builder().add::<EndTool>().build().unwrap())
        .journal(Arc::new(journal.another()), JournalMode::All, "test 1")
        .build()
        .unwrap();
    let mut ctx = ToolContext::builder().provide(End(Arc::new(end)));
    if let Some(deadline) = deadline {
        ctx = ctx.deadline(Instant::now() + deadline);
    }
    let error = executor.call(Call::new("end", json!({})), &ctx.build(), Caller::Test).await.unwrap_err();
    let rows = journal.rows(&RowQuery::default()).await.unwrap();
    (error.to_json(), serde_json::from_str(rows[0].error_json.as_deref().unwrap()).unwrap())
}

const DIGEST: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[tokio::test]
async fn details_under_marked_names_are_hidden_wherever_they_stand() {
    let make = || {
        ToolError::failed("No.")
            .code("no")
            .hint("try")
            .retryable(true)
            .effect(Effect::None)
            .retry_after(Duration::from_millis(7))
            .detail("text", "abc")
            .detail("pages", json!([{"raw": "abc", "number": 3}]))
            .detail("pin", "abc")
            .detail("token", "a word")
            .detail("size", 3)
            .detail("label", "abc")
            .detail("count", 4)
    };
    let (shown, recorded) = fail(move || Err(make()), None).await;
    assert_eq!(shown, make().to_json(), "the caller sees everything");
    let details = json!({"text": format!("[hash: 3 bytes, sha256 {DIGEST}]"), "pages": [{"number": 3}],
                         "pin": recorded["details"]["pin"], "token": "a word", "size": 3, "count": 4, "effect": "none"});
    assert_eq!(recorded["details"], details);
    assert!(recorded["details"]["pin"].as_str().unwrap().starts_with("[secret"), "{recorded}");
    for member in ["kind", "code", "message", "hint", "retryable", "retry_after_ms"] {
        assert_eq!(shown[member], recorded[member], "{member}");
    }
}

#[tokio::test]
async fn what_an_error_quotes_is_recorded_by_its_digest_and_the_plain_sentences() {
    let make = || {
        ToolError::conflict("It differs.")
            .hint("look at line 2")
            .quoting_message("It differs: abc.")
            .quoting_hint("look at line 2: abc")
            .content_detail("first", json!({"line": 2, "found": "abc"}))
            .detail("line", "2")
    };
    let (shown, recorded) = fail(move || Err(make()), None).await;
    assert_eq!(
        (&shown["message"], &shown["hint"]),
        (&json!("It differs: abc."), &json!("look at line 2: abc"))
    );
    assert_eq!(shown["details"]["first"]["found"], "abc");
    assert_eq!((&recorded["message"], &recorded["hint"]), (&json!("It differs."), &json!("look at line 2")));
    let first = json!({"line": 2, "found": format!("[hash: 3 bytes, sha256 {DIGEST}]")});
    assert_eq!(recorded["details"], json!({"first": first, "line": "2"}));
    // A hint that is given later quotes nothing; one that stands alone leaves none.
    let (_, recorded) = fail(|| Err(ToolError::failed("No.").quoting_hint("abc").hint("try")), None).await;
    assert_eq!(recorded["hint"], "try");
    let (shown, recorded) = fail(|| Err(ToolError::failed("No.").quoting_hint("abc")), None).await;
    assert_eq!((&shown["hint"], recorded.get("hint")), (&json!("abc"), None));
}

#[tokio::test]
async fn an_issue_does_not_tell_what_it_found_in_a_marked_argument() {
    let issue = |path: &str| ArgIssue {
        path: path.to_owned(),
        code: IssueCode::Constraint,
        expected: "other".to_owned(),
        got: "abc".to_owned(),
        hint: None,
    };
    let make = move || ToolError::invalid_args("No.").issue(issue("/pin")).issue(issue("/name"));
    let (shown, recorded) = fail(move || Err(make()), None).await;
    assert_eq!(shown["issues"][0]["got"], "abc");
    assert!(recorded["issues"][0]["got"].as_str().unwrap().starts_with("[secret"), "{recorded}");
    assert_eq!(recorded["issues"][1], shown["issues"][1]);
}

#[tokio::test]
async fn what_a_late_call_returned_is_hidden_as_its_result_would_be() {
    let soon = Some(Duration::from_millis(500));
    let page = || Page { raw: "abc".to_owned(), number: 3 };
    let partial = move || Ok(Found { text: "abc".to_owned(), pages: vec![page()], size: 3, kind: None });
    let (shown, recorded) = fail(partial, soon).await;
    assert_eq!((&shown["kind"], &shown["details"]["partial"]["text"]), (&json!("timeout"), &json!("abc")));
    assert!(!recorded.to_string().contains("\"abc\""), "{recorded}");
    assert_eq!(recorded["details"]["partial"]["size"], 3);
    let own = || Err(ToolError::timeout("Stopped.").content_detail("found", "abc").detail("at", 3));
    let (shown, recorded) = fail(own, soon).await;
    assert_eq!(shown["details"], json!({"found": "abc", "at": 3}));
    let found = format!("[hash: 3 bytes, sha256 {DIGEST}]");
    assert_eq!(recorded["details"], json!({"found": found, "at": 3}));
}
