//! Our tools as rig dispatches them: its tool server, and its agent with a scripted model.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::sync::Arc;
use std::time::Duration;

use rig_agent::AgentBuilder;
use rig_agent::tool::server::{ToolServer, ToolServerHandle};
use rig_core::message::ToolResultContent;
use rig_core::test_utils::{MockCompletionModel, MockTurn};
use rig_core::tool::{ToolContext as RigContext, ToolErrorKind, ToolResult};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tool_core::prelude::*;
use tool_core::{Caller, Content, ErrorKind, Executor, Registry};
use tool_rig::Meta;

/// Adds numbers.
#[tool(register = false)]
fn add(
    /// The first.
    a: u32,
    /// The second.
    #[arg(range = 0..=9)]
    b: u32,
) -> u32 {
    a + b
}

/// Says who calls.
#[tool(register = false)]
fn whoami(ctx: &ToolContext) -> String {
    format!("{} {}", ctx.caller() == Some(Caller::Llm), ctx.agent())
}

/// What a tool tells the test.
#[derive(Default)]
struct Told {
    started: Notify,
    cancelled: Notify,
}

/// Waits until nobody wants it any more.
#[tool(register = false)]
async fn wait(#[ctx] told: &Told, ctx: &ToolContext) -> Result<String, ToolError> {
    /// Tells when it is dropped, or cancelled.
    struct Gone<'a>(&'a Told);
    impl Drop for Gone<'_> {
        fn drop(&mut self) {
            self.0.cancelled.notify_one();
        }
    }
    let _gone = Gone(told);
    told.started.notify_one();
    ctx.cancellation().cancelled().await;
    Err(ToolError::new(ErrorKind::Cancelled, "Nobody waits."))
}

/// Shows a picture.
#[tool(register = false)]
fn picture() -> ToolOutput {
    let image = |mime: &str| Content::Image { data: "aGk=".to_owned(), mime_type: mime.to_owned() };
    ToolOutput::text("Here it is.").with_content(image("image/png")).with_content(image("image/tiff"))
}

/// Is not listed.
#[tool(register = false, hidden)]
fn secretly() -> u32 {
    1
}

/// Deletes something.
#[tool(register = false, side_effect, idempotent = false, destructive)]
fn delete() -> u32 {
    1
}

fn executor() -> Executor {
    let tools = Registry::builder().add::<AddTool>().add::<WhoamiTool>().add::<WaitTool>();
    let tools = tools.add::<PictureTool>().add::<SecretlyTool>().add::<DeleteTool>();
    Executor::standard(tools.build().unwrap()).approve(tool_core::ApprovalLevel::Destructive).build().unwrap()
}

fn server(told: Arc<Told>) -> ToolServerHandle {
    let ctx = ToolContext::builder().provide_arc(told).build();
    ToolServer::new().dynamic_tools(tool_rig::tools(&executor(), &ctx).unwrap()).run()
}

async fn execute(server: &ToolServerHandle, name: &str, args: Value, context: &mut RigContext) -> ToolResult {
    server.execute(name, &args.to_string(), context).await
}

#[tokio::test]
async fn rig_lists_what_is_not_hidden_with_the_schema_of_the_definition() {
    let definitions = server(Arc::default()).static_tool_defs();
    let names: Vec<String> = definitions.iter().map(|one| one.name.to_string()).collect();
    assert_eq!(names, ["add", "delete", "picture", "wait", "whoami"]);
    assert_eq!(definitions[0].description, "Adds numbers.");
    assert_eq!(definitions[0].parameters["properties"]["b"]["maximum"], 9);
}

#[tokio::test]
async fn a_call_is_decoded_leniently_and_its_notes_are_for_the_host() {
    let mut context = RigContext::new();
    let result = execute(&server(Arc::default()), "add", json!({"a": "4", "b": 5.0}), &mut context).await;
    assert_eq!(result.output().as_json(), Some(&json!(9)));
    let meta = context.result::<Meta>().unwrap().unwrap();
    let rules: Vec<&Value> = meta.0["coerced"].as_array().unwrap().iter().map(|note| &note["rule"]).collect();
    assert_eq!(rules, ["string_to_integer", "float_to_integer"]);
}

#[tokio::test]
async fn a_bad_call_shows_the_model_every_issue_and_hooks_our_error() {
    let mut context = RigContext::new();
    let result = execute(&server(Arc::default()), "add", json!({"b": 10, "c": 1}), &mut context).await;
    let told = result.output().as_json().unwrap();
    let issues = told["error"]["issues"].as_array().unwrap();
    let found: Vec<(&str, &str)> = issues
        .iter()
        .map(|issue| (issue["path"].as_str().unwrap(), issue["code"].as_str().unwrap()))
        .collect();
    assert_eq!(found, [("/a", "missing"), ("/b", "range"), ("/c", "unknown")]);
    let error = result.error().unwrap();
    assert_eq!((error.kind(), error.code()), (ToolErrorKind::InvalidArgs, Some("invalid_args")));
    let ours = error.downcast_ref::<ToolError>().unwrap();
    assert_eq!((ours.kind(), &ours.to_json()), (ErrorKind::InvalidArgs, &told["error"]));
}

#[tokio::test]
async fn a_refusal_is_one_for_rig_too() {
    let mut context = RigContext::new();
    let result = execute(&server(Arc::default()), "delete", json!({}), &mut context).await;
    assert!(result.is_refused(), "{:?}", result.output());
    assert_eq!(result.output().as_json().unwrap()["error"]["kind"], "denied");
}

#[tokio::test]
async fn a_context_of_the_call_passes_through_rig() {
    let server = server(Arc::default());
    let own = ToolContext::builder().agent("researcher").build();
    let mut context = RigContext::new().with_scope(Arc::new(own));
    let result = execute(&server, "whoami", json!({}), &mut context).await;
    assert_eq!(result.output().as_text(), Some("true researcher"));
}

#[tokio::test]
async fn dropping_the_call_of_rig_cancels_ours() {
    let told = Arc::new(Told::default());
    let server = server(Arc::clone(&told));
    let limit = Duration::from_secs(10);
    let mut context = RigContext::new();
    {
        let call = execute(&server, "wait", json!({}), &mut context);
        tokio::pin!(call);
        tokio::select! {
            _ = &mut call => panic!("it waits"),
            started = tokio::time::timeout(limit, told.started.notified()) => started.unwrap(),
        }
    }
    tokio::time::timeout(limit, told.cancelled.notified()).await.unwrap();
}

#[tokio::test]
async fn images_pass_and_what_rig_cannot_carry_is_told() {
    let mut context = RigContext::new();
    let result = execute(&server(Arc::default()), "picture", json!({}), &mut context).await;
    let blocks = result.output().as_content();
    assert_eq!(blocks[0].as_text(), Some("Here it is."));
    assert!(matches!(blocks[1], ToolResultContent::Image(_)));
    assert_eq!(blocks[2].as_text(), Some("[image image/tiff: cannot be shown in this API]"));
}

#[tokio::test]
async fn an_agent_of_rig_repairs_its_call_by_our_error_and_goes_on() {
    let model = MockCompletionModel::from_turns([
        MockTurn::tool_call("1", "add", json!({"a": 4, "bb": 5})),
        MockTurn::tool_call("2", "add", json!({"a": 4, "b": "5"})),
        MockTurn::text("It is 9."),
    ]);
    let tools = tool_rig::tools(&executor(), &ToolContext::empty()).unwrap();
    let agent = AgentBuilder::new(model.clone()).dynamic_tools(tools).default_max_turns(5).build();
    let answer = agent.prompt("How much is 4 and 5?").run().await.unwrap();
    assert_eq!(answer.output(), "It is 9.");
    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    let seen = serde_json::to_string(&requests[1]).unwrap();
    assert!(seen.contains(r#""path":"/bb","code":"unknown""#), "{seen}");
}
