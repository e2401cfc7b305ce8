//! The tools of a server as routes of rmcp's own tool router, for programs that have a server of rmcp's and keep it.
//!
//! A route lists a tool and calls it as this crate's server does: arguments are decoded by the executor, so that the answer
//! to a bad call is one text with every issue; progress, cancellation, approval and questions go to the client of the
//! request. The era of the protocol is that of the request; what is listed, and results, are written as revision
//! 2025-11-25 has them, which both take. A call that waits for answers is bound to the arguments and to `local`: a server
//! that tells several people apart does so before its router.
//!
//! ```
//! use rmcp::handler::server::router::tool::ToolRouter;
//! use tool_core::prelude::*;
//! use tool_core::{Executor, Registry};
//! use tool_mcp::{McpServer, raw};
//!
//! /// Says how many words a text has.
//! #[tool(register = false)]
//! fn count_words(
//!     /// The text.
//!     text: &str,
//! ) -> usize {
//!     text.split_whitespace().count()
//! }
//!
//! struct Mine {
//!     tool_router: ToolRouter<Mine>,
//! }
//!
//! # fn main() -> Result<(), ToolError> {
//! let registry = Registry::builder().add::<CountWordsTool>().build()?;
//! let ours = McpServer::builder(Executor::standard(registry)).build()?;
//! // `Mine::tool_router()` where `#[tool_router]` has made one.
//! let mine = Mine { tool_router: raw::join(ToolRouter::new(), &ours)? };
//! assert!(mine.tool_router.has_route("count_words"));
//! # Ok(())
//! # }
//! ```

use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{CallToolRequestParams, Tool};
use tool_core::ToolError;

use crate::era::Era;
use crate::server::{Connection, LOCAL, McpServer, answer, typed};

/// How tools are listed where it is not known who will ask.
const LISTED: Era = Era::Legacy;

/// A route for each tool that a server lists now; `S` is the type of the server that they are added to.
///
/// A tool that is marked hidden has none, since a router lists all that it can call. What the server's filter, policy and
/// approval say is asked again at each call.
///
/// # Errors
/// `internal`: a tool cannot be described in rmcp's types.
pub fn routes<S: Send + Sync + 'static>(server: &McpServer) -> Result<Vec<ToolRoute<S>>, ToolError> {
    let sight = server.sight();
    let tools = sight.listing(LISTED).tools().iter();
    tools.map(|tool| typed(&tool.descriptor).map(|tool| route(server, tool)).map_err(unlisted)).collect()
}

/// Adds the tools of a server to a router.
///
/// # Errors
/// `conflict`, code `tool_name_taken`, where the router has a tool of the same name, since it would silently be replaced;
/// those of [`routes`].
pub fn join<S: Send + Sync + 'static>(
    mut router: ToolRouter<S>,
    server: &McpServer,
) -> Result<ToolRouter<S>, ToolError> {
    for route in routes(server)? {
        if router.map.contains_key(route.name()) {
            let error = ToolError::conflict(format!("The router has a tool {} already.", route.name()));
            return Err(error.code("tool_name_taken").hint("leave one of them out with `Filter::except`"));
        }
        router.add_route(route);
    }
    Ok(router)
}

fn route<S: Send + Sync + 'static>(server: &McpServer, tool: Tool) -> ToolRoute<S> {
    let server = server.clone();
    ToolRoute::new_dyn(tool, move |context: ToolCallContext<'_, S>| {
        let server = server.clone();
        let mut request = CallToolRequestParams::new(context.name);
        request.arguments = context.arguments;
        request.input_responses = context.input_responses;
        request.request_state = context.request_state;
        let context = context.request_context;
        let mut connection = Connection::of_request(&server, &context);
        connection.listed = LISTED;
        Box::pin(async move { answer(&server, LOCAL, connection, request, context).await })
    })
}

fn unlisted(error: rmcp::ErrorData) -> ToolError {
    ToolError::internal(error.message)
}
