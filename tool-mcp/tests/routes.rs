//! Our tools in a server of rmcp's own, through its router, asked by its client in both eras.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::handler::client::ClientHandler;
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest,
    ContentBlock, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability,
    Implementation, JsonObject, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{
    ClientLifecycleMode, NotificationContext, PeerRequestOptions, RequestContext, RoleClient, RoleServer,
    RunningService,
};
use rmcp::{ErrorData, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tool_core::prelude::*;
use tool_core::{Caller, ErrorKind, Executor, Progress, Question, Registry};
use tool_mcp::{Filter, McpServer, raw};

/// What a tool tells the test.
#[derive(Default)]
struct Told {
    started: Notify,
    cancelled: Notify,
}

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

/// Says who calls, and counts to three.
#[tool(register = false)]
fn count(ctx: &ToolContext) -> String {
    for done in [1.0, 2.0, 3.0] {
        ctx.progress(Progress { done, total: Some(3.0), message: None });
    }
    format!("{:?} {}", ctx.caller() == Some(Caller::Mcp), ctx.client().unwrap_or_default())
}

/// Waits until nobody wants it any more.
#[tool(register = false)]
async fn wait(#[ctx] told: &Told, ctx: &ToolContext) -> Result<String, ToolError> {
    told.started.notify_one();
    ctx.cancellation().cancelled().await;
    told.cancelled.notify_one();
    Err(ToolError::new(ErrorKind::Cancelled, "Nobody waits."))
}

/// Asks for a name.
#[tool(register = false)]
async fn sign(ctx: &ToolContext) -> Result<String, ToolError> {
    let who = Question::new("Who?").field("name", json!({"type": "string"}), true);
    let who = ctx.ask("who", who).await?;
    Ok(who["name"].as_str().unwrap_or_default().to_owned())
}

/// Is not listed.
#[tool(register = false, hidden)]
fn secretly() -> u32 {
    1
}

fn ours(told: Arc<Told>, filter: Filter) -> McpServer {
    let registry = Registry::builder().add::<AddTool>().add::<CountTool>().add::<WaitTool>();
    let registry = registry.add::<SignTool>().add::<SecretlyTool>().build().unwrap();
    let context = ToolContext::builder().provide_arc(told);
    McpServer::builder(Executor::standard(registry)).context(context).filter(filter).build().unwrap()
}

/// A server of rmcp's own.
struct Host {
    router: ToolRouter<Host>,
}

impl ServerHandler for Host {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.router.list_all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.router.call(ToolCallContext::new(self, request, context)).await
    }
}

/// A tool of the host's own.
fn theirs(name: &'static str) -> ToolRoute<Host> {
    ToolRoute::new_dyn(Tool::new(name, "Theirs.", JsonObject::new()), |_| {
        Box::pin(async { Ok(CallToolResult::success(vec![ContentBlock::text("theirs")]).into()) })
    })
}

/// A client that answers each question with a name, and keeps the progress that it is told.
#[derive(Clone)]
struct Person {
    version: ProtocolVersion,
    progress: Arc<Mutex<Vec<f64>>>,
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(ElicitationCapability::default());
        ClientConfig::new(capabilities, Implementation::new("person", "7"))
            .with_protocol_version(self.version.clone())
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({"name": "Ada"})))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.lock().unwrap().push(params.progress);
    }
}

async fn connect(version: ProtocolVersion, told: Arc<Told>) -> RunningService<RoleClient, Person> {
    let router = ToolRouter::new().with_route(theirs("mine"));
    let host = Host { router: raw::join(router, &ours(told, Filter::default())).unwrap() };
    let (near, far) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move { host.serve(far).await.unwrap().waiting().await });
    let lifecycle = match version >= ProtocolVersion::V_2026_07_28 {
        true => ClientLifecycleMode::Discover { preferred_versions: vec![version.clone()] },
        false => ClientLifecycleMode::Initialize,
    };
    let person = Person { version, progress: Arc::default() };
    rmcp::service::serve_client_with_lifecycle(person, near, lifecycle).await.unwrap()
}

fn call(name: &'static str, args: Value) -> CallToolRequestParams {
    CallToolRequestParams::new(name).with_arguments(args.as_object().unwrap().clone())
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

const ERAS: [ProtocolVersion; 2] = [ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28];

#[tokio::test]
async fn the_tools_of_both_are_listed_and_called_by_the_client_of_rmcp() {
    for version in ERAS {
        let client = connect(version, Arc::default()).await;
        let listed = client.list_all_tools().await.unwrap();
        let names: Vec<&str> = listed.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, ["add", "count", "mine", "sign", "wait"]);
        assert_eq!(listed[0].input_schema["properties"]["b"]["maximum"], 9);
        assert_eq!(listed[0].annotations.as_ref().unwrap().read_only_hint, Some(true));
        assert_eq!(text(&client.call_tool(call("mine", json!({}))).await.unwrap()), "theirs");
        let sum = client.call_tool(call("add", json!({"a": "4", "b": 5.0}))).await.unwrap();
        // The client of rmcp has the schema; what is structured must be of it.
        assert_eq!(sum.structured_content, Some(json!({"result": 9})));
        assert_eq!(listed[0].output_schema.as_ref().unwrap()["required"], json!(["result"]));
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn a_bad_call_is_answered_with_every_issue_in_our_json() {
    for version in ERAS {
        let client = connect(version, Arc::default()).await;
        let refused = client.call_tool(call("add", json!({"a": -1, "c": 5, "b": 10}))).await.unwrap();
        assert_eq!(refused.is_error, Some(true));
        let told: Value = serde_json::from_str(text(&refused)).unwrap();
        assert_eq!(told["error"]["kind"], "invalid_args");
        let issues = told["error"]["issues"].as_array().unwrap();
        let found: Vec<_> = issues.iter().map(|issue| (&issue["path"], &issue["code"])).collect();
        let expected = [("/a", "range"), ("/b", "range"), ("/c", "unknown")];
        let expected = expected.map(|(path, code)| (json!(path), json!(code)));
        assert_eq!(found, expected.each_ref().map(|(path, code)| (path, code)));
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn progress_and_the_name_of_the_client_pass() {
    for version in ERAS {
        let client = connect(version, Arc::default()).await;
        let counted = client.call_tool(call("count", json!({}))).await.unwrap();
        assert_eq!(text(&counted), "true person 7");
        // rmcp's client gives each request a token.
        let progress = client.service().progress.lock().unwrap().clone();
        assert_eq!(progress.last(), Some(&3.0), "{progress:?}");
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn a_call_that_the_client_cancels_is_cancelled_in_the_tool() {
    for version in ERAS {
        let told = Arc::new(Told::default());
        let client = connect(version, Arc::clone(&told)).await;
        let request =
            ClientRequest::CallToolRequest(rmcp::model::CallToolRequest::new(call("wait", json!({}))));
        let request =
            client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
        let limit = Duration::from_secs(10);
        tokio::time::timeout(limit, told.started.notified()).await.unwrap();
        request.cancel(Some("enough".to_owned())).await.unwrap();
        tokio::time::timeout(limit, told.cancelled.notified()).await.unwrap();
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn a_question_reaches_the_person_behind_the_client() {
    for version in ERAS {
        let client = connect(version, Arc::default()).await;
        assert_eq!(text(&client.call_tool(call("sign", json!({}))).await.unwrap()), "Ada");
        client.cancel().await.unwrap();
    }
}

#[test]
fn a_tool_of_the_same_name_is_refused_and_can_be_left_out() {
    let router = || ToolRouter::new().with_route(theirs("add"));
    let taken = raw::join(router(), &ours(Arc::default(), Filter::default())).unwrap_err();
    assert_eq!((taken.kind(), taken.code_str()), (ErrorKind::Conflict, "tool_name_taken"));
    let without = Filter { except: vec!["add".to_owned()], ..Filter::default() };
    let joined = raw::join(router(), &ours(Arc::default(), without)).unwrap();
    let names: Vec<String> = joined.list_all().iter().map(|tool| tool.name.to_string()).collect();
    assert_eq!(names, ["add", "count", "sign", "wait"]);
}

#[test]
fn a_route_that_the_router_disables_is_neither_listed_nor_called() {
    let mut router = raw::join(ToolRouter::<Host>::new(), &ours(Arc::default(), Filter::default())).unwrap();
    assert!(router.disable_route("wait"));
    assert!(!router.has_route("wait") && router.has_route("add"));
}
