//! The server that the official conformance suite of MCP is run against.

mod content;
mod inputs;
mod questions;
mod toggled;

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use tool_core::prelude::*;
use tool_core::{Executor, Progress, Registry};
use tool_mcp::{HttpOptions, HttpServer, McpServer, serve_stdio};

use crate::toggled::Toggle;

/// Fails.
#[tool]
fn test_error_handling() -> Result<String, ToolError> {
    Err(ToolError::failed("This tool intentionally returns an error for testing"))
}

/// Tells how far it is.
#[tool]
async fn test_tool_with_progress(ctx: &ToolContext) -> String {
    for done in [0.0, 50.0, 100.0] {
        ctx.progress(Progress { done, total: Some(100.0), message: Some("working") });
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
    "done".to_owned()
}

/// Answers after a while.
#[tool]
async fn test_reconnection() -> String {
    tokio::time::sleep(Duration::from_millis(100)).await;
    "done".to_owned()
}

/// Logs, and sends no message about it.
#[tool]
fn test_logging_tool() -> String {
    "done".to_owned()
}

/// Takes a parameter that is repeated in a header.
#[tool]
fn test_custom_header(
    /// The value.
    #[arg(header = "Value")]
    value: &str,
) -> String {
    value.to_owned()
}

/// Serves at the address that is its argument, or at a port of its own choice; on standard input and output for `stdio`.
#[tokio::main]
async fn main() -> Result<(), ToolError> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "0".to_owned());
    let registry = Registry::builder().discover().add_dyn(content::schema_tool()?).build()?;
    let toggle = Arc::new(Toggle::default());
    let server = McpServer::builder(Executor::standard(registry))
        .name("conformance")
        .version("1.0.0")
        .context(ToolContext::builder().provide_arc(Arc::clone(&toggle)))
        .filter(toggled::filter(false))
        .live_filter()
        .build()?;
    toggle.of(&server);
    if address == "stdio" {
        return serve_stdio(server).await;
    }
    let http = HttpServer::bind(server, HttpOptions::at(&address)?, CancellationToken::new()).await?;
    let _ = writeln!(std::io::stderr(), "listening on {}", http.url()?);
    http.serve().await
}

/// A field of text.
fn text() -> serde_json::Value {
    json!({"type": "string"})
}
