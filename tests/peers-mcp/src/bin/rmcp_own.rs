//! The same echo tool, served by rmcp with its own macros and router; with an argument, that many tools.

use std::sync::Arc;

use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResult, ContentBlock, MetaObject, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::{ErrorData, ServerHandler, ServiceExt as _, tool, tool_handler, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Text {
    /// The text.
    text: String,
}

#[derive(Clone)]
struct Echo {
    tool_router: ToolRouter<Echo>,
}

#[tool_router]
impl Echo {
    /// Gives a text back.
    #[tool(annotations(read_only_hint = true))]
    fn echo(&self, Parameters(Text { text }): Parameters<Text>) -> Result<CallToolResult, ErrorData> {
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

fn router(count: usize) -> ToolRouter<Echo> {
    if count == 0 {
        return Echo::tool_router();
    }
    let schema = Arc::new(peers_mcp::schema().as_object().cloned().unwrap_or_default());
    // What a list of ours says of each tool: who tells the same writes as much.
    let annotations =
        ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    let mut router = ToolRouter::new();
    for at in 0..count {
        let tool = Tool::new(format!("tool_{at:04}"), "Gives a text back.", Arc::clone(&schema))
            .with_annotations(annotations.clone())
            .with_meta(fingerprint(at));
        router = router.with_route(ToolRoute::new_dyn(tool, |_| {
            Box::pin(async { Ok(CallToolResult::success(vec![ContentBlock::text("")]).into()) })
        }));
    }
    router
}

/// As long as a digest in hexadecimal.
fn fingerprint(at: usize) -> MetaObject {
    let digest = format!("sha256:{at:064x}");
    MetaObject(std::iter::once(("toolbox/fingerprint".to_owned(), digest.into())).collect())
}

async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    let echo = Echo { tool_router: router(peers_mcp::tools()) };
    echo.serve(rmcp::transport::io::stdio_pipes()).await?.waiting().await?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    peers_mcp::block_on(serve())
}
