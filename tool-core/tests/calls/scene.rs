//! Tools that end, leak, fail, repeat and nest, and the executors around them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::redact::KnownSecrets;
use tool_core::{
    AuditRow, AuditSettings, AuditSink, Behavior, Call, Caller, Content, DynTool, ErrorKind, Executor,
    ReadResultTool, Registry,
};

/// The canary that must turn up nowhere.
pub(crate) const CANARY: &str = "sk-CANARY-4711-xyz";

/// Ends as it is told to.
#[tool(register = false, timeout = "200ms")]
pub(crate) async fn end(
    /// The kind of its error, or `ok`, `panic`, `hang`.
    how: &str,
) -> Result<String, ToolError> {
    match how {
        "ok" => Ok("fine".to_owned()),
        "panic" => panic!("{CANARY}"),
        "hang" => std::future::pending().await,
        how => {
            let kind = ErrorKind::all().find(|kind| kind.as_str() == how).unwrap();
            Err(ToolError::new(kind, format!("because of {CANARY}")))
        }
    }
}

/// Prints what it is given, in ways that a program might.
#[tool(register = false)]
pub(crate) fn leak(
    /// A password.
    #[arg(secret)]
    password: &str,
) -> ToolResult {
    let hex: String = password.bytes().map(|byte| format!("{byte:02x}")).collect();
    let (head, tail) = password.split_at(7);
    Ok(ToolOutput::structured(json!({"raw": password, "key": {password: 1}, "hex": hex}))
        .with_content(Content::text(format!("raw {password}")))
        .with_content(Content::text(format!("split {head}")))
        .with_content(Content::text(format!("{tail} hex {hex}"))))
}

/// Counts its calls.
#[derive(Clone, Default)]
pub(crate) struct Calls(pub(crate) Arc<AtomicUsize>);

/// Is unavailable at first.
#[tool(register = false)]
pub(crate) async fn flaky(
    /// How often.
    failures: usize,
    #[ctx] calls: &Calls,
) -> Result<u64, ToolError> {
    let before = calls.0.fetch_add(1, Ordering::SeqCst);
    if before < failures { Err(ToolError::unavailable("Not yet.")) } else { Ok(before as u64) }
}

/// Is unavailable and may have changed something.
#[tool(side_effect, idempotent = false, register = false)]
pub(crate) async fn risky(#[ctx] calls: &Calls) -> Result<(), ToolError> {
    calls.0.fetch_add(1, Ordering::SeqCst);
    Err(ToolError::unavailable("Who knows."))
}

/// Gives long results.
#[tool(register = false)]
pub(crate) fn rows(
    /// How many.
    count: u64,
) -> ToolResult {
    let rows: Vec<Value> =
        (0..count).map(|id| json!({"id": id, "name": format!("näme 😀 {id}"), "tags": ["a", "b"]})).collect();
    Ok(ToolOutput::text(serde_json::to_string(&rows).unwrap()))
}

/// Calls another tool.
#[tool(side_effect, idempotent, register = false)]
pub(crate) async fn relay(
    /// Which.
    tool: &str,
    /// With what.
    #[arg(any)]
    args: Value,
    ctx: &ToolContext,
) -> ToolResult {
    ctx.call(tool, args).await
}

/// Only reads, through another tool.
#[tool(register = false)]
pub(crate) async fn look_through(
    /// Which.
    tool: &str,
    ctx: &ToolContext,
) -> ToolResult {
    ctx.call(tool, json!({})).await
}

/// Ends the run.
#[tool(terminal, side_effect, idempotent, register = false)]
pub(crate) async fn finish(
    /// How it went.
    outcome: &str,
    #[ctx] calls: &Calls,
) -> Result<Value, ToolError> {
    calls.0.fetch_add(1, Ordering::SeqCst);
    match outcome {
        "bad" => Err(ToolError::failed("It did not go well.")),
        outcome => Ok(json!({"outcome": outcome, "reason": "done", "data": [1]})),
    }
}

pub(crate) fn registry() -> Registry {
    let wrong = DynTool::builder("wrong").description("Lies.").behavior(Behavior::READ);
    let wrong = wrong.handler_sync(|_, _| Ok(ToolOutput::structured(json!(5)))).build().unwrap();
    Registry::builder()
        .add::<EndTool>()
        .add::<LeakTool>()
        .add::<FlakyTool>()
        .add::<RiskyTool>()
        .add::<RowsTool>()
        .add::<RelayTool>()
        .add::<LookThroughTool>()
        .add::<FinishTool>()
        .add::<ReadResultTool>()
        .add_dyn(wrong)
        .build()
        .unwrap()
}

/// Rows in memory.
#[derive(Clone, Default)]
pub(crate) struct Rows(pub(crate) Arc<Mutex<Vec<AuditRow>>>);

impl AuditSink for Rows {
    fn write(&self, row: &AuditRow) -> Result<(), ToolError> {
        self.0.lock().unwrap().push(row.clone());
        Ok(())
    }
}

impl Rows {
    pub(crate) fn take(&self) -> Vec<AuditRow> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

pub(crate) fn secrets() -> Arc<KnownSecrets> {
    Arc::new(KnownSecrets::new([("API_KEY", CANARY)]))
}

pub(crate) fn audited(rows: &Rows) -> AuditSettings {
    AuditSettings { sinks: vec![Box::new(rows.clone())], secrets: secrets(), required: false }
}

pub(crate) fn ctx() -> ToolContext {
    ToolContext::builder().agent("bot").provide(Calls::default()).build()
}

pub(crate) async fn call(executor: &Executor, tool: &str, args: Value) -> ToolResult {
    executor.call(Call::new(tool, args), &ctx(), Caller::Llm).await
}
