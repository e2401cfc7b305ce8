//! A user's own MCP server: annotate functions, serve what is linked.

use tool_core::prelude::*;
use tool_core::{Executor, Registry};
use tool_mcp::{McpServer, serve_stdio};

/// Says how many words a text has.
#[tool]
fn count_words(
    /// The text.
    text: &str,
) -> usize {
    text.split_whitespace().count()
}

#[tokio::main]
async fn main() -> Result<(), ToolError> {
    let registry = Registry::builder().discover().build()?;
    let server = McpServer::builder(Executor::standard(registry)).name("words").version("1.0.0").build()?;
    serve_stdio(server).await
}
