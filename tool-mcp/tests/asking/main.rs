//! Approval and questions over both eras. (mcp.md §15, acceptance 6)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio_util::sync::CancellationToken;
use tool_core::journal::{Journal as _, MemoryJournal, RowQuery, Status};
use tool_core::prelude::*;
use tool_core::{
    Call, Caller, ContextBuilder, Coordinates, Executor, ExecutorBuilder, JournalMode, QUESTIONS_MAX,
    Question, Registry,
};
use tool_mcp::{Confirm, McpCall, McpServer, serve_streams};

use client::{Client, deletion, failure, lost, question, reply, retry, state};

mod client;
mod doubt;
mod rounds;

/// What was deleted.
#[derive(Default)]
struct Deleted(AtomicUsize);

/// Deletes something.
#[tool(register = false, side_effect, idempotent = false, destructive)]
fn delete(
    /// What.
    name: &str,
    /// A password.
    #[arg(secret)]
    password: Option<&str>,
    #[ctx] deleted: &Deleted,
) -> String {
    let _ = password;
    deleted.0.fetch_add(1, Ordering::SeqCst);
    format!("{name} is gone")
}

/// Asks for a name, and then writes it down.
#[tool(register = false, side_effect, idempotent = false)]
async fn sign(
    /// Where.
    paper: &str,
    #[ctx] deleted: &Deleted,
    ctx: &ToolContext,
) -> Result<String, ToolError> {
    let who = Question::new("Who?").field("name", json!({"type": "string"}), true);
    let who = ctx.ask("who", who).await?;
    ctx.acts();
    deleted.0.fetch_add(1, Ordering::SeqCst);
    Ok(format!("{paper} {}", who["name"].as_str().unwrap_or("")))
}

/// Acts, and asks too late.
#[tool(register = false, side_effect, idempotent = false)]
async fn hasty(ctx: &ToolContext) -> Result<String, ToolError> {
    ctx.acts();
    ctx.confirm("sure", "Sure?").await?;
    Ok("done".to_owned())
}

/// Has the client answer, and says who it is.
#[tool(register = false)]
fn inquire(#[ctx] call: &McpCall) -> Result<String, ToolError> {
    let roots = call.input("roots", "roots/list", json!({}))?;
    Ok(format!("{} {} {} {}", call.client_name(), call.client_version(), call.protocol_version(), roots))
}

/// Asks who somebody is, and then what for.
#[tool(register = false)]
async fn interview(ctx: &ToolContext) -> Result<String, ToolError> {
    let who = Question::new("Who?").field("name", json!({"type": "string", "minLength": 2}), true);
    let who = ctx.ask("who", who).await?;
    let why = Question::new("Why?").field("reason", json!({"type": "string"}), true);
    let why = ctx.ask("why", why).await?;
    Ok(format!("{} {}", who["name"].as_str().unwrap_or(""), why["reason"].as_str().unwrap_or("")))
}

/// Adds a line, and nobody can tell afterwards: the first one that is `lost` does not say whether it was added.
#[tool(register = false, side_effect, idempotent = false)]
fn append(
    /// What.
    line: &str,
    #[ctx] deleted: &Deleted,
) -> Result<String, ToolError> {
    match deleted.0.fetch_add(1, Ordering::SeqCst) {
        0 if line == "lost" => Err(ToolError::unavailable("The other side does not answer.")),
        _ => Ok(line.to_owned()),
    }
}
