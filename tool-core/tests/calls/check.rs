//! A result is held against the schema that was promised.

use serde_json::json;
use tool_core::prelude::*;
use tool_core::{Call, Caller, CheckMode, ErrorKind, Executor, Registry};

use crate::scene::{call, ctx};

/// Counts.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Count {
    /// How many.
    count: u64,
}

/// Says it counts and lies.
#[tool(register = false, output = Count)]
fn lie() -> ToolResult {
    Ok(ToolOutput::structured(json!({"count": "many"})))
}

/// Counts.
#[tool(register = false)]
fn count() -> Result<tool_core::prelude::ToolOutput, ToolError> {
    Ok(ToolOutput::structured(json!({"count": 5})))
}

#[tokio::test]
async fn a_result_that_does_not_fit_is_an_error_or_noted() {
    let registry = Registry::builder().add::<LieTool>().add::<CountTool>().build().unwrap();
    let strict = Executor::standard(registry.clone()).check(CheckMode::Error).build().unwrap();
    assert_eq!(strict.layers(), ["decode", "check", "run"]);
    let error = call(&strict, "lie", json!({})).await.unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::Internal, "output_schema"));
    assert!(call(&strict, "count", json!({})).await.is_ok());
    let lax = Executor::standard(registry).check(CheckMode::Warn).build().unwrap();
    assert_eq!(call(&lax, "lie", json!({})).await.unwrap().meta["output_invalid"], true);
    let client = lax.call(Call::new("lie", json!({})), &ctx(), Caller::Mcp).await;
    assert_eq!(client.unwrap_err().code_str(), "output_schema", "clients validate");
}
