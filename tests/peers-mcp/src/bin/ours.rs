//! The echo tool, served by tool-mcp; with an argument, that many tools.

use tool_core::prelude::*;
use tool_core::{Behavior, DynTool, Executor, Registry};
use tool_mcp::{McpServer, serve_stdio};

/// Gives a text back.
#[tool(register = false)]
async fn echo(
    /// The text.
    text: String,
) -> String {
    text
}

fn many(count: usize) -> Result<Registry, ToolError> {
    let mut registry = Registry::builder();
    for at in 0..count {
        let tool = DynTool::builder(format!("tool_{at:04}"))
            .description("Gives a text back.")
            .behavior(Behavior::READ)
            .input_schema(peers_mcp::schema())
            .handler_sync(|args, _| Ok(ToolOutput::text(args["text"].as_str().unwrap_or_default())))
            .build()?;
        registry = registry.add_dyn(tool);
    }
    Ok(registry.build()?)
}

async fn serve() -> Result<(), ToolError> {
    let registry = match peers_mcp::tools() {
        0 => Registry::builder().add::<EchoTool>().build()?,
        count => many(count)?,
    };
    let server = McpServer::builder(Executor::standard(registry)).name("ours").version("1");
    let server = match std::env::var("PAGE_SIZE").ok().and_then(|text| text.parse().ok()) {
        Some(tools) => server.page_size(tools),
        None => server,
    };
    serve_stdio(server.build()?).await
}

fn main() -> Result<(), ToolError> {
    peers_mcp::block_on(serve())
}
