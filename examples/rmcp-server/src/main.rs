//! A server of rmcp, written with its macros, that has the tools of this project beside its own: it keeps its state, its
//! transport and its handler, and the annotated functions bring their schemas, checks and errors along.

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::{ServerHandler, ServiceExt as _, tool_handler, tool_router};
use tool_core::{Executor, Registry, ToolError, tool};
use tool_mcp::{McpServer, raw};

/// Says how many words a text has.
#[tool]
fn count_words(
    /// The text.
    text: &str,
    /// Words shorter than this do not count.
    #[arg(range = 1..=20, default = 1)]
    shortest: usize,
) -> usize {
    text.split_whitespace().filter(|word| word.chars().count() >= shortest).count()
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Text {
    /// The text.
    text: String,
}

/// The server, as its author would have it without us.
struct Words {
    tool_router: ToolRouter<Words>,
}

#[tool_router]
impl Words {
    /// Turns a text around.
    #[rmcp::tool]
    fn reverse(&self, Parameters(Text { text }): Parameters<Text>) -> String {
        text.chars().rev().collect()
    }

    /// Its own tools, and those that are linked.
    fn new() -> Result<Words, ToolError> {
        let registry = Registry::builder().discover().build()?;
        let ours = McpServer::builder(Executor::standard(registry)).build()?;
        Ok(Words { tool_router: raw::join(Self::tool_router(), &ours)? })
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Words {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Words::new()?.serve(rmcp::transport::io::stdio_pipes()).await?.waiting().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CallToolRequestParams, CallToolResult};
    use rmcp::service::{RoleClient, RunningService};
    use serde_json::{Value, json};

    use super::*;

    async fn client() -> RunningService<RoleClient, ()> {
        let (near, far) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move { Words::new().unwrap().serve(far).await.unwrap().waiting().await });
        ().serve(near).await.unwrap()
    }

    async fn call(name: &'static str, args: Value) -> CallToolResult {
        let params = CallToolRequestParams::new(name).with_arguments(args.as_object().unwrap().clone());
        client().await.call_tool(params).await.unwrap()
    }

    fn text(result: &CallToolResult) -> &str {
        &result.content[0].as_text().unwrap().text
    }

    #[tokio::test]
    async fn a_client_finds_and_calls_the_tools_of_both() {
        let tools = client().await.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, ["count_words", "reverse"]);
        assert_eq!(text(&call("reverse", json!({"text": "abc"})).await), "cba");
        assert_eq!(text(&call("count_words", json!({"text": "a bee", "shortest": "2"})).await), "1");
    }

    #[tokio::test]
    async fn the_same_mistakes_are_told_by_each_in_its_own_way() {
        let theirs = call("reverse", json!({"txt": 5})).await;
        assert_eq!(
            (theirs.is_error, text(&theirs)),
            (Some(true), "failed to deserialize parameters: missing field `text`")
        );
        let ours = call("count_words", json!({"txt": 5, "shortest": 0})).await;
        let told: Value = serde_json::from_str(text(&ours)).unwrap();
        let paths: Vec<&Value> =
            told["error"]["issues"].as_array().unwrap().iter().map(|issue| &issue["path"]).collect();
        assert_eq!(
            (ours.is_error, paths),
            (Some(true), vec![&json!("/text"), &json!("/shortest"), &json!("/txt")])
        );
    }
}
