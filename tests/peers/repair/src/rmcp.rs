//! The tools as an rmcp server, called by rmcp's own client over a pipe.

use std::collections::HashMap;
use std::error::Error;
use std::marker::PhantomData;

use repair::arguments::Arguments;
use repair::{Answer, Subject, with_each};
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, JsonObject, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RoleClient, RunningService};
use rmcp::{ServerHandler, ServiceExt as _, tool_handler};
use serde_json::Value;
use tokio::runtime::Runtime;

/// Bytes that a pipe holds.
const PIPE: usize = 1 << 20;

struct Server {
    tool_router: ToolRouter<Server>,
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

/// A tool that gives its arguments back, once it has checked their bounds.
fn echo<T: Arguments>(Parameters(arguments): Parameters<T>) -> CallToolResult {
    let said =
        arguments.check().and_then(|()| serde_json::to_string(&arguments).map_err(|error| error.to_string()));
    match said {
        Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
        Err(text) => CallToolResult::error(vec![ContentBlock::text(text)]),
    }
}

fn route<T: Arguments>(_: PhantomData<T>) -> ToolRoute<Server> {
    let tool = Tool::new(T::NAME, T::DESCRIPTION, JsonObject::new()).with_input_schema::<Parameters<T>>();
    ToolRoute::new(tool, echo::<T>)
}

/// rmcp.
pub struct Rmcp {
    name: &'static str,
    runtime: Runtime,
    client: RunningService<RoleClient, ()>,
    schemas: HashMap<String, Value>,
}

impl Rmcp {
    /// A server whose structs drop keys that they do not have.
    pub fn loose() -> Result<Rmcp, Box<dyn Error>> {
        let mut router = ToolRouter::new();
        macro_rules! add {
            ($arguments:ty) => {
                router.add_route(route(PhantomData::<$arguments>))
            };
        }
        with_each!(loose, add);
        Rmcp::serve("rmcp 3", router)
    }

    /// One whose structs deny them.
    pub fn strict() -> Result<Rmcp, Box<dyn Error>> {
        let mut router = ToolRouter::new();
        macro_rules! add {
            ($arguments:ty) => {
                router.add_route(route(PhantomData::<$arguments>))
            };
        }
        with_each!(strict, add);
        Rmcp::serve("rmcp 3, `deny_unknown_fields`", router)
    }

    fn serve(name: &'static str, tool_router: ToolRouter<Server>) -> Result<Rmcp, Box<dyn Error>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (near, far) = tokio::io::duplex(PIPE);
        let client = runtime.block_on(async {
            tokio::spawn(async move {
                if let Ok(server) = (Server { tool_router }).serve(far).await {
                    let _ = server.waiting().await;
                }
            });
            ().serve(near).await
        })?;
        let tools = runtime.block_on(client.list_all_tools())?;
        let schema = |tool: &Tool| Value::Object(tool.input_schema.as_ref().clone());
        let schemas = tools.iter().map(|tool| (tool.name.to_string(), schema(tool))).collect();
        Ok(Rmcp { name, runtime, client, schemas })
    }
}

impl Subject for Rmcp {
    fn name(&self) -> &str {
        self.name
    }

    fn schema(&self, tool: &str) -> Value {
        self.schemas.get(tool).cloned().unwrap_or_default()
    }

    fn call(&mut self, tool: &str, text: &str) -> Answer {
        // The protocol carries an object: what a client says of a text that is none is the error of its parser.
        let arguments: JsonObject = match serde_json::from_str(text) {
            Ok(arguments) => arguments,
            Err(error) => return Answer::Refused(error.to_string()),
        };
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = match self.runtime.block_on(self.client.call_tool(params)) {
            Ok(result) => result,
            Err(error) => return Answer::Refused(error.to_string()),
        };
        let text = result.content.first().and_then(|block| block.as_text()).map(|text| text.text.clone());
        let text = text.unwrap_or_default();
        match result.is_error {
            Some(true) => Answer::Refused(text),
            _ => Answer::Ran(serde_json::from_str(&text).unwrap_or_default()),
        }
    }
}
