//! A client of a kit's tools: rmcp's own, whose person gives the scripted answers.

use std::thread::JoinHandle;

use rmcp::ClientHandler;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, ErrorData, Implementation, ProtocolVersion,
};
use rmcp::service::{
    ClientLifecycleMode, RequestContext, RoleClient, RunningService, ServiceError,
    serve_client_with_lifecycle,
};
use serde_json::{Map, Value, json};
use tokio::io::DuplexStream;
use tokio_util::sync::CancellationToken;
use tool_core::test::{Script, Told, ToolKit};
use tool_core::{BoxFuture, Reply};

use crate::era::Era;
use crate::server::McpServer;
use crate::stdio::serve_streams;

/// Bytes that a stream in memory holds.
const STREAM: usize = 64 * 1024;

/// Connects a client to the tools of a kit.
///
/// ```
/// use serde_json::json;
/// use tool_core::prelude::*;
/// use tool_core::test::ToolKit;
/// use tool_core::Registry;
/// use tool_mcp::Era;
/// use tool_mcp::test::McpExt as _;
///
/// /// Doubles a number.
/// #[tool(register = false)]
/// fn double(/** The number. */ n: u32) -> u32 {
///     n * 2
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let kit = ToolKit::of(Registry::builder().add::<DoubleTool>().build()?).build();
/// for era in Era::ALL {
///     let client = kit.mcp(era).await;
///     assert_eq!(client.tools().await[0]["name"], "double");
///     assert_eq!(client.call("double", json!({"n": 4})).await.data(), Some(json!(8)));
///     let refused = client.call("double", json!({})).await;
///     assert_eq!(refused.error().unwrap()["issues"][0]["path"], "/n");
/// }
/// # Ok(())
/// # }
/// ```
pub trait McpExt {
    /// A client that speaks one era of the protocol, connected to a server with the kit's executor, capabilities and secrets.
    ///
    /// # Panics
    /// Where no server can be made, or the client cannot connect.
    fn mcp(&self, era: Era) -> BoxFuture<'_, McpClient>;

    /// One call without a runtime: what it told.
    ///
    /// # Panics
    /// As [`mcp`](Self::mcp).
    fn call_mcp_blocking(&self, era: Era, tool: &str, args: Value) -> McpCalled;

    /// What a client sees listed, without a runtime.
    ///
    /// # Panics
    /// As [`mcp`](Self::mcp), and where it cannot be listed.
    fn tools_mcp_blocking(&self, era: Era) -> Vec<Value>;
}

impl McpExt for ToolKit {
    fn mcp(&self, era: Era) -> BoxFuture<'_, McpClient> {
        Box::pin(connected(self, era))
    }

    fn call_mcp_blocking(&self, era: Era, tool: &str, args: Value) -> McpCalled {
        block_on(async { self.mcp(era).await.call(tool, args).await })
    }

    fn tools_mcp_blocking(&self, era: Era) -> Vec<Value> {
        block_on(async { self.mcp(era).await.tools().await })
    }
}

/// Runs a future to its end, on a runtime and a thread of its own: no runtime can be started within one.
#[expect(clippy::panic, reason = "a test without a runtime fails")]
fn block_on<F: Future<Output: Send> + Send>(future: F) -> F::Output {
    let work = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.unwrap_or_else(|error| panic!("no runtime could be started: {error}"));
        runtime.block_on(future)
    };
    std::thread::scope(|scope| scope.spawn(work).join())
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[expect(clippy::panic, reason = "a test whose client cannot connect fails")]
async fn connected(kit: &ToolKit, era: Era) -> McpClient {
    let server = McpServer::builder(kit.executor_builder()).context(kit.context().to_builder()).build();
    let server = server.unwrap_or_else(|error| panic!("the server cannot be made: {error}"));
    let (near, far) = tokio::io::duplex(STREAM);
    let served = Served::start(server, far);
    let (version, lifecycle) = match era {
        Era::Legacy => (ProtocolVersion::V_2025_11_25, ClientLifecycleMode::Initialize),
        Era::Modern => {
            let version = ProtocolVersion::V_2026_07_28;
            (version.clone(), ClientLifecycleMode::Discover { preferred_versions: vec![version] })
        }
    };
    let config = ClientConfig::new(
        ClientCapabilities::builder().enable_elicitation().build(),
        Implementation::new("test kit", env!("CARGO_PKG_VERSION")),
    );
    let person = Person { script: kit.script().clone(), config: config.with_protocol_version(version) };
    let service = serve_client_with_lifecycle(person, tokio::io::split(near), lifecycle).await;
    let service = service.unwrap_or_else(|error| panic!("the client cannot connect: {error}"));
    McpClient { era, service, _served: served }
}

/// A server on a thread of its own: when this is dropped, nothing that the server held is held any more, whatever the runtime of
/// the test comes to do then.
struct Served {
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    #[expect(clippy::panic, reason = "a test without a runtime fails")]
    fn start(server: McpServer, stream: DuplexStream) -> Served {
        let stop = CancellationToken::new();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.unwrap_or_else(|error| panic!("no runtime could be started: {error}"));
        let (read, write) = tokio::io::split(stream);
        let until = stop.clone();
        let thread = std::thread::spawn(move || {
            let served = serve_streams(server, read, write, until.clone());
            runtime.block_on(until.run_until_cancelled(served));
            runtime.shutdown_background();
        });
        Served { stop, thread: Some(thread) }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Whoever sits at the client.
struct Person {
    script: Script,
    config: ClientConfig,
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let asked = match &request {
            ElicitRequestParams::FormElicitationParams { message, .. } => message.as_str(),
            _ => "something that is no form",
        };
        Ok(match self.script.next(asked) {
            Reply::Accepted(answer) => ElicitResult::new(ElicitationAction::Accept).with_content(answer),
            Reply::Declined => ElicitResult::new(ElicitationAction::Decline),
            Reply::Cancelled => ElicitResult::new(ElicitationAction::Cancel),
        })
    }
}

/// A connected client. The connection ends with it.
pub struct McpClient {
    era: Era,
    service: RunningService<RoleClient, Person>,
    _served: Served,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct McpCalled {
    era: Era,
    /// The result of the protocol; an error of the protocol as `{"code", "message", "data"}`.
    answer: Result<Value, Value>,
}

impl McpClient {
    /// What the server lists, as it stands in the protocol.
    ///
    /// # Panics
    /// Where it cannot be listed.
    #[expect(clippy::panic, reason = "a test that cannot list its tools fails")]
    pub async fn tools(&self) -> Vec<Value> {
        let tools = self.service.list_all_tools().await;
        let tools = tools.unwrap_or_else(|error| panic!("the tools cannot be listed: {error}"));
        tools.into_iter().map(|tool| json!(tool)).collect()
    }

    /// Calls a tool; its questions are answered as the kit's script says.
    ///
    /// # Panics
    /// For arguments that are no object, which the protocol cannot carry, and where the connection breaks.
    #[expect(clippy::panic, reason = "a test whose call cannot be sent fails")]
    pub async fn call(&self, tool: &str, args: Value) -> McpCalled {
        let args: Map<String, Value> = match args {
            Value::Null => Map::new(),
            Value::Object(args) => args,
            other => panic!("MCP carries objects, not {other}"),
        };
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args);
        let answer = match self.service.call_tool(params).await {
            Ok(result) => Ok(json!(result)),
            Err(ServiceError::McpError(error)) => Err(json!(error)),
            Err(error) => panic!("the call of {tool} got no answer: {error}"),
        };
        McpCalled { era: self.era, answer }
    }
}

impl std::fmt::Debug for McpClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpClient").field("era", &self.era).finish_non_exhaustive()
    }
}

impl McpCalled {
    /// The result as it stands in the protocol.
    ///
    /// # Errors
    /// An error of the protocol.
    pub fn answer(&self) -> Result<&Value, &Value> {
        self.answer.as_ref()
    }

    /// The data of a success: the structured value, else the one text, else the blocks.
    pub fn data(&self) -> Option<Value> {
        let answer = self.answer.as_ref().ok().filter(|answer| !is_failure(answer))?;
        match (answer.get("structuredContent"), answer.get("content").and_then(Value::as_array)) {
            (Some(value), _) => Some(self.unwrapped(value)),
            (None, Some(blocks)) => match blocks.as_slice() {
                [] => Some(Value::Null),
                [only] if only.get("type").is_some_and(|kind| kind == "text") => only.get("text").cloned(),
                blocks => Some(json!(blocks)),
            },
            (None, None) => Some(Value::Null),
        }
    }

    /// The error of a failure, in the one JSON form; an error of the protocol as it is.
    pub fn error(&self) -> Option<Value> {
        match &self.answer {
            Err(error) => Some(error.clone()),
            Ok(answer) if is_failure(answer) => {
                let text = answer.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default();
                let envelope: Value = serde_json::from_str(text).unwrap_or_default();
                Some(envelope.get("error").cloned().unwrap_or_default())
            }
            Ok(_) => None,
        }
    }

    /// What was told, to be compared with what other surfaces tell.
    pub fn told(&self) -> Told {
        let result = match self.error() {
            Some(error) => Err(error),
            None => Ok(self.data().unwrap_or_default()),
        };
        Told { result, exit: None }
    }

    /// The earlier revisions carry objects only: another value is in the member `result` of one.
    fn unwrapped(&self, value: &Value) -> Value {
        match (self.era, value.as_object().map(|members| (members.len(), members.get("result")))) {
            (Era::Legacy, Some((1, Some(inner)))) => inner.clone(),
            _ => value.clone(),
        }
    }
}

fn is_failure(answer: &Value) -> bool {
    answer.get("isError").is_some_and(|failed| *failed == true)
}
