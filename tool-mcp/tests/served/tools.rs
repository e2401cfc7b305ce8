//! The tools that are served.

use tool_core::prelude::*;
use tool_core::{Executor, Registry};
use tool_mcp::{McpServer, McpServerBuilder};

/// A person.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Greeted {
    /// What was said.
    text: String,
    /// How long it is.
    length: usize,
}

/// Greets somebody.
#[tool(register = false, group = "words", title = "Greet")]
fn greet(
    /// Whom.
    name: &str,
    /// How often.
    #[arg(range = 1..=3, default = 1)]
    times: u32,
) -> Greeted {
    let text = vec![format!("Hello {name}."); times as usize].join(" ");
    Greeted { length: text.len(), text }
}

/// Adds numbers.
#[tool(register = false)]
fn add(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    a + b
}

/// Overwrites a note.
#[tool(register = false, side_effect, idempotent, group = "words")]
fn note(
    /// What to write.
    text: &str,
) -> String {
    text.to_owned()
}

/// Gives a number back.
#[tool(register = false)]
fn same(
    /// The number.
    number: u64,
) -> u64 {
    number
}

/// Always fails.
#[tool(register = false)]
fn broken() -> Result<String, ToolError> {
    Err(ToolError::failed("It is broken.").hint("mend it"))
}

/// Panics.
#[tool(register = false)]
fn panics() -> String {
    panic!("oh no")
}

/// Is not listed.
#[tool(register = false, hidden)]
fn unlisted() -> String {
    "here".to_owned()
}

/// Needs a secret.
#[tool(register = false, requires(secret = "TOOL_MCP_TEST_UNSET"))]
fn keyed(
    /// Anything.
    wish: &str,
) -> String {
    wish.to_owned()
}

/// Waits until it is cancelled.
#[tool(register = false)]
async fn wait(ctx: &ToolContext) -> Result<String, ToolError> {
    ctx.cancelled().await;
    Err(ToolError::cancelled("It was cancelled."))
}

/// Counts and tells how far it is.
#[tool(register = false)]
fn count(ctx: &ToolContext) -> u32 {
    for done in [1.0, 2.0, 2.0, 1.0, 3.0] {
        ctx.progress(tool_core::Progress { done, total: Some(3.0), message: Some("counting") });
    }
    3
}

pub(crate) fn registry() -> Registry {
    Registry::builder()
        .add::<GreetTool>()
        .add::<AddTool>()
        .add::<NoteTool>()
        .add::<SameTool>()
        .add::<BrokenTool>()
        .add::<PanicsTool>()
        .add::<UnlistedTool>()
        .add::<KeyedTool>()
        .add::<WaitTool>()
        .add::<CountTool>()
        .build()
        .unwrap()
}

pub(crate) fn builder() -> McpServerBuilder {
    McpServer::builder(Executor::standard(registry())).name("demo").version("1.2.3").summary("Words.")
}
