//! Lists whose elements are seen as they come: the same result, no secret, nothing twice, and nothing lost when a call fails.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{
    Call, Caller, ErrorKind, Executor, ExecutorBuilder, ITEMS_BYTES, ItemSink, Items, Registry,
    ShapeSettings, Tool,
};

use super::scene::{self, CANARY, Calls};

/// Emits numbers, and ends as it is told to.
#[tool(register = false, timeout = "200ms")]
async fn emit(
    /// How many.
    count: u32,
    /// The kind of its error, or `ok`, `hang`.
    how: &str,
    ctx: &ToolContext,
    #[ctx] calls: &Calls,
) -> Result<Items<u32>, ToolError> {
    let attempt = calls.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    let mut numbers = ctx.items();
    for number in 0..count {
        numbers.push(number)?;
    }
    match how {
        "ok" => Ok(numbers),
        "hang" => std::future::pending().await,
        "unavailable once" if attempt > 0 => Ok(numbers),
        "unavailable once" => Err(ToolError::unavailable("Not yet.")),
        _ => Err(ToolError::failed("It did not go well.").detail("own", 1)),
    }
}

/// Emits numbers and fails, however long that takes.
#[tool(register = false)]
fn emit_and_fail(
    /// How many.
    count: u32,
    ctx: &ToolContext,
) -> Result<Items<u32>, ToolError> {
    let mut numbers = ctx.items();
    for number in 0..count {
        numbers.push(number)?;
    }
    Err(ToolError::failed("It did not go well.").detail("own", 1))
}

/// Emits from a plain function.
#[tool(register = false)]
fn emit_plainly(ctx: &ToolContext) -> Result<Items<String>, ToolError> {
    let mut texts = ctx.items();
    texts.push(format!("about {CANARY}"))?;
    Err(ToolError::failed("It did not go well."))
}

/// Emits a list of its own around that of another tool.
#[tool(register = false)]
async fn emit_around(ctx: &ToolContext) -> Result<Items<Value>, ToolError> {
    let mut all = ctx.items();
    all.push(json!("before"))?;
    let inner = ctx.call("emit", json!({"count": 2, "how": "ok"})).await?;
    all.push(inner.data())?;
    // A second list of the same call is not watched.
    ctx.items().push("elsewhere")?;
    Ok(all)
}

/// Keeps two lists at a time, and gives one of them back.
#[tool(register = false)]
fn emit_two(
    /// Give the second one back.
    second: bool,
    ctx: &ToolContext,
) -> Result<Items<u32>, ToolError> {
    let (mut even, mut odd) = (ctx.items(), ctx.items());
    assert!(even.is_empty() && odd.is_empty());
    for number in 1..=4 {
        if number % 2 == 0 { even.push(number)? } else { odd.push(number)? }
    }
    assert_eq!((even.len(), odd.is_empty()), (2, false));
    Ok(if second { odd } else { even })
}

/// Tells of another tool's error.
#[tool(register = false)]
async fn emit_within(ctx: &ToolContext) -> Result<Value, ToolError> {
    let error = ctx.call("emit", json!({"count": 2, "how": "bad"})).await.unwrap_err();
    Ok(error.to_json())
}

/// Emits, and says itself what is left of it.
#[tool(register = false)]
fn emit_and_tell(ctx: &ToolContext) -> Result<Items<u32>, ToolError> {
    ctx.items().push(1)?;
    Err(ToolError::failed("It broke.").detail("partial", "my own words"))
}

/// Keeps what it is shown.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<Value>>>);

impl ItemSink for Seen {
    fn item(&self, _: &ToolContext, item: &Value) {
        self.0.lock().unwrap().push(item.clone());
    }
}

impl Seen {
    fn all(&self) -> Vec<Value> {
        self.0.lock().unwrap().clone()
    }
}

fn executor() -> Executor {
    builder().build().unwrap()
}

fn builder() -> ExecutorBuilder {
    let registry = Registry::builder()
        .add::<EmitTool>()
        .add::<EmitPlainlyTool>()
        .add::<EmitAndFailTool>()
        .add::<EmitAroundTool>()
        .add::<EmitTwoTool>()
        .add::<EmitWithinTool>()
        .build();
    let shape = ShapeSettings { secrets: scene::secrets(), results: None, ..ShapeSettings::default() };
    Executor::standard(registry.unwrap()).shape(shape).retries(1)
}

/// What a call gives, with what was seen of it; `watched` or not.
async fn outcome(tool: &str, args: Value, watched: bool) -> (ToolResult, Vec<Value>) {
    let seen = Seen::default();
    let builder = scene::ctx().to_builder();
    let ctx = if watched { builder.items(seen.clone()).build() } else { builder.build() };
    let result = executor().call(Call::new(tool, args), &ctx, Caller::Llm).await;
    (result, seen.all())
}

#[tokio::test]
async fn the_result_is_the_list_whether_anybody_watches() {
    let args = json!({"count": 3, "how": "ok"});
    let (quiet, nothing) = outcome("emit", args.clone(), false).await;
    let (watched, seen) = outcome("emit", args, true).await;
    assert_eq!(quiet.unwrap().data(), json!([0, 1, 2]));
    assert_eq!(watched.unwrap().data(), json!([0, 1, 2]));
    assert_eq!((nothing, seen), (vec![], vec![json!(0), json!(1), json!(2)]));
    let schema = EmitTool::DEF.output_schema().unwrap();
    assert_eq!([&schema["type"], &schema["items"]["type"]], ["array", "integer"]);
    let (empty, _) = outcome("emit", json!({"count": 0, "how": "ok"}), true).await;
    assert_eq!(empty.unwrap().data(), json!([]));
}

#[tokio::test]
async fn what_nobody_saw_of_a_call_that_fails_is_kept_in_its_error() {
    for (how, kind) in [("bad", ErrorKind::Failed), ("hang", ErrorKind::Timeout)] {
        let (result, _) = outcome("emit", json!({"count": 2, "how": how}), false).await;
        let error = result.unwrap_err();
        assert_eq!(error.kind(), kind);
        assert_eq!(error.details()["partial"], json!([0, 1]), "{how}");
        assert_eq!(error.details()["emitted"], 2, "{how}");
        let (result, seen) = outcome("emit", json!({"count": 2, "how": how}), true).await;
        let error = result.unwrap_err();
        assert!(!error.details().contains_key("partial"), "{how}: it has been seen");
        assert_eq!(seen.len(), 2);
        let (result, _) = outcome("emit", json!({"count": 0, "how": how}), false).await;
        assert!(!result.unwrap_err().details().contains_key("partial"), "{how}: there is nothing");
    }
}

#[tokio::test]
async fn what_an_error_says_itself_of_what_was_emitted_is_left_as_it_is() {
    let registry = Registry::builder().add::<EmitAndTellTool>().build().unwrap();
    let executor = Executor::standard(registry).build().unwrap();
    let error =
        executor.call(Call::new("emit_and_tell", json!({})), &scene::ctx(), Caller::Llm).await.unwrap_err();
    assert_eq!(error.details()["partial"], "my own words");
    assert!(!error.details().contains_key("emitted"));
}

#[tokio::test]
async fn an_error_keeps_as_many_elements_as_a_model_can_use_and_says_how_many_there_were() {
    let (result, _) = outcome("emit_and_fail", json!({"count": 50_000}), false).await;
    let error = result.unwrap_err();
    let kept = error.details()["partial"].as_array().unwrap().len();
    assert!((10_000..20_000).contains(&kept), "{kept}");
    assert_eq!([&error.details()["emitted"], &error.details()["own"]], [50_000, 1]);
}

#[tokio::test]
async fn no_secret_is_seen_before_the_result_is_cleared_of_it() {
    let (result, seen) = outcome("emit_plainly", json!({}), true).await;
    assert!(result.is_err());
    assert_eq!(seen, [json!("about [secret:API_KEY]")]);
    let (result, _) = outcome("emit_plainly", json!({}), false).await;
    assert_eq!(result.unwrap_err().details()["partial"], json!(["about [secret:API_KEY]"]));
}

#[tokio::test]
async fn elements_of_a_call_within_the_call_are_not_elements_of_its_list() {
    let (result, seen) = outcome("emit_around", json!({}), true).await;
    assert_eq!(result.unwrap().data(), json!(["before", [0, 1]]));
    assert_eq!(seen, [json!("before"), json!([0, 1])]);
}

#[tokio::test]
async fn elements_of_a_second_list_are_not_mixed_with_those_of_the_first() {
    let (first, seen) = outcome("emit_two", json!({"second": false}), true).await;
    let first = first.unwrap();
    assert_eq!((first.data(), seen), (json!([2, 4]), vec![json!(2), json!(4)]));
    assert_eq!(first.trailer.as_deref(), Some(""), "all of it has been seen");
    let (second, seen) = outcome("emit_two", json!({"second": true}), true).await;
    let second = second.unwrap();
    assert_eq!((second.data(), seen), (json!([1, 3]), vec![json!(2), json!(4)]));
    assert_eq!(second.trailer, None, "nothing of it has been seen");
}

#[tokio::test]
async fn the_error_of_a_call_within_a_call_keeps_what_it_emitted() {
    for watched in [false, true] {
        let (result, seen) = outcome("emit_within", json!({}), watched).await;
        let error = result.unwrap().data();
        assert_eq!(error["details"]["partial"], json!([0, 1]), "{error}");
        assert_eq!(seen, [Value::Null; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_is_not_tried_again_once_somebody_has_seen_elements() {
    let args = json!({"count": 2, "how": "unavailable once"});
    let (again, _) = outcome("emit", args.clone(), false).await;
    let again = again.unwrap();
    assert_eq!((again.data(), &again.meta["tries"]), (json!([0, 1]), &json!(2)));
    let (once, seen) = outcome("emit", args, true).await;
    assert_eq!(once.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(seen.len(), 2, "nothing is seen twice");

    let rows = scene::Rows::default();
    let audited = builder().audit(scene::audited(&rows)).build().unwrap();
    let ctx = scene::ctx().to_builder().items(Seen::default()).build();
    let call = Call::new("emit", json!({"count": 2, "how": "unavailable once"}));
    audited.call(call, &ctx, Caller::Llm).await.unwrap_err();
    assert_eq!(rows.take().pop().unwrap().tries, 1);
}

#[test]
fn nothing_is_added_to_the_list_of_a_call_that_should_end() {
    let ctx = ToolContext::empty();
    let mut items = ctx.items();
    items.push("one").unwrap();
    ctx.cancel();
    assert_eq!(items.push("two").unwrap_err().kind(), ErrorKind::Cancelled);
    let late = ToolContext::builder().deadline(std::time::Instant::now() - Duration::from_millis(1)).build();
    assert_eq!(late.items().push("late").unwrap_err().kind(), ErrorKind::Timeout);
    assert_eq!((items.to_value(), items.len()), (json!(["one"]), 1));
}

#[test]
fn a_list_ends_where_it_is_too_long() {
    let ctx = ToolContext::empty();
    let mut items = ctx.items();
    let mega = "x".repeat(1024 * 1024 - 3);
    for _ in 0..ITEMS_BYTES / (1024 * 1024) - 1 {
        items.push(mega.clone()).unwrap();
    }
    // Two brackets, quotes and a comma are part of it.
    let most = 1024 * 1024 - 3 - 1;
    let error = items.push("x".repeat(most + 1)).unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::Failed, "too_many_items"));
    items.push("x".repeat(most)).unwrap();
    assert_eq!(items.to_value().as_array().unwrap().len(), 64);
}
