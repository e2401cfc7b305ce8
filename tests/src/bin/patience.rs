//! A program whose tools take their time, for tests that need somebody to wait for.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tool_cli::Cli;
use tool_core::prelude::*;
use tool_core::{Progress, Question, Registry};

/// How often a tool looks whether it may go on.
const ROUND: Duration = Duration::from_millis(5);

/// Waits until a file is there.
#[tool(register = false)]
async fn wait(
    /// The file.
    #[arg(positional)]
    file: &Path,
    /// File to write when it begins.
    begun: Option<&Path>,
    ctx: &ToolContext,
) -> &'static str {
    if let Some(begun) = begun {
        let _ = std::fs::write(begun, "");
    }
    ctx.progress(Progress { done: 3.0, total: Some(10.0), message: Some("step\u{1b}[2J three\nof ten") });
    while !file.exists() {
        tokio::time::sleep(ROUND).await;
    }
    "done"
}

/// Emits numbers, and before the last one waits until a file is there.
#[tool(register = false)]
async fn emit(
    /// How many.
    #[arg(positional)]
    count: u32,
    /// The file.
    #[arg(positional)]
    file: &Path,
    /// File to write when it waits.
    waiting: Option<&Path>,
    ctx: &ToolContext,
) -> Result<Items<u32>, ToolError> {
    let mut numbers = ctx.items();
    for number in 1..count {
        numbers.push(number)?;
    }
    if let Some(waiting) = waiting {
        let _ = std::fs::write(waiting, "");
    }
    while !file.exists() {
        tokio::time::sleep(ROUND).await;
    }
    numbers.push(count)?;
    Ok(numbers)
}

/// Waits until a file is there, and answers to nobody.
#[tool(register = false)]
fn stubborn(
    /// The file.
    #[arg(positional)]
    file: &Path,
) -> &'static str {
    while !file.exists() {
        std::thread::park_timeout(ROUND);
    }
    "done"
}

/// Removes something.
#[tool(destructive, idempotent, register = false)]
async fn remove(
    /// Names.
    #[arg(positional)]
    names: Vec<String>,
    /// Who asks.
    #[arg(secret)]
    token: Option<&str>,
) -> usize {
    let _ = token;
    names.len()
}

/// Counts the letters of a password.
#[tool(register = false)]
fn login(
    /// The password.
    #[arg(secret, env = "PATIENCE_PASSWORD")]
    password: &str,
) -> usize {
    password.chars().count()
}

/// Takes a file and a text.
#[tool(register = false)]
fn take(
    /// Text.
    #[arg(stdin)]
    body: Option<&str>,
    /// Other text.
    #[arg(stdin)]
    other: Option<&str>,
    /// A handle, such as @alice.
    handle: Option<&str>,
) -> String {
    [body, other, handle].map(Option::unwrap_or_default).concat()
}

/// Orders what the person says.
#[tool(register = false)]
async fn order(ctx: &ToolContext) -> Result<Value, ToolError> {
    let size = json!({"type": "string", "enum": ["small", "large"], "default": "small"});
    let question = Question::new("What shall\u{1b}[2J it be?")
        .field("what", json!({"type": "string", "description": "What to drink."}), true)
        .field("size", size, true)
        .field("count", json!({"type": "integer", "minimum": 1, "maximum": 9}), false);
    let answer = ctx.ask("order", question).await?;
    ctx.confirm("sure", "Order it?").await?;
    Ok(answer)
}

fn main() -> std::process::ExitCode {
    let registry = Registry::builder()
        .add::<WaitTool>()
        .add::<EmitTool>()
        .add::<StubbornTool>()
        .add::<RemoveTool>()
        .add::<LoginTool>()
        .add::<TakeTool>()
        .add::<OrderTool>()
        .build()
        .map_err(ToolError::from);
    tool_cli::main(registry.map(|registry| Cli::new(registry).name("patience").version("1.0.0")))
}
