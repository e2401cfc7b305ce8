//! Tools that ask.

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{Progress, Question};

use crate::text;

/// What a client's person said, in the words that the suite looks for.
fn told(asked: Result<Value, ToolError>) -> Result<String, ToolError> {
    asked.map(|content| format!("Elicitation completed: action=accept, content={content}"))
}

/// Asks with a message of the caller's.
#[tool]
async fn test_elicitation(
    /// What to say.
    message: &str,
    ctx: &ToolContext,
) -> Result<String, ToolError> {
    let question = Question::new(message).field("username", text(), true).field("email", text(), true);
    told(ctx.ask("user", question).await)
}

/// Asks with a default for every kind of value.
#[tool]
async fn test_elicitation_sep1034_defaults(ctx: &ToolContext) -> Result<String, ToolError> {
    let status = json!({"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"});
    let question = Question::new("Who are you?")
        .field("name", json!({"type": "string", "default": "John Doe"}), false)
        .field("age", json!({"type": "integer", "default": 30}), false)
        .field("score", json!({"type": "number", "default": 95.5}), false)
        .field("status", status, false)
        .field("verified", json!({"type": "boolean", "default": true}), false);
    told(ctx.ask("defaults", question).await)
}

/// Asks for one or several of a list, in every way to write that.
#[tool]
async fn test_elicitation_sep1330_enums(ctx: &ToolContext) -> Result<String, ToolError> {
    let plain = json!(["option1", "option2", "option3"]);
    let titled = json!([{"const": "value1", "title": "First"}, {"const": "value2", "title": "Second"},
        {"const": "value3", "title": "Third"}]);
    let legacy = json!({"type": "string", "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"]});
    let question = Question::new("Which?")
        .field("untitledSingle", json!({"type": "string", "enum": plain}), false)
        .field("titledSingle", json!({"type": "string", "oneOf": titled}), false)
        .field("legacyEnum", legacy, false)
        .field("untitledMulti", json!({"type": "array", "items": {"type": "string", "enum": plain}}), false)
        .field("titledMulti", json!({"type": "array", "items": {"anyOf": titled}}), false);
    told(ctx.ask("enums", question).await)
}

/// Asks for a name.
#[tool]
async fn test_input_required_result_elicitation(ctx: &ToolContext) -> Result<String, ToolError> {
    let answer =
        ctx.ask("user_name", Question::new("What is your name?").field("name", text(), true)).await?;
    Ok(format!("Hello, {}!", answer.get("name").and_then(Value::as_str).unwrap_or_default()))
}

/// Asks for a yes.
#[tool]
async fn test_input_required_result_request_state(ctx: &ToolContext) -> Result<String, ToolError> {
    confirmed(ctx).await
}

/// Asks for a yes whose state the client changes.
#[tool]
async fn test_input_required_result_tampered_state(ctx: &ToolContext) -> Result<String, ToolError> {
    confirmed(ctx).await
}

async fn confirmed(ctx: &ToolContext) -> Result<String, ToolError> {
    let question = Question::new("Please confirm").field("ok", json!({"type": "boolean"}), true);
    ctx.ask("confirm", question).await?;
    Ok("state-ok".to_owned())
}

/// Asks twice.
#[tool]
async fn test_input_required_result_multi_round(ctx: &ToolContext) -> Result<String, ToolError> {
    let name = ctx.ask("step1", Question::new("Step 1: your name?").field("name", text(), true)).await?;
    let color = ctx.ask("step2", Question::new("Step 2: your colour?").field("color", text(), true)).await?;
    Ok(format!("{name} {color}"))
}

/// Says how far it is, and then asks.
#[tool]
async fn test_streaming_elicitation(ctx: &ToolContext) -> Result<String, ToolError> {
    ctx.progress(Progress { done: 1.0, total: Some(2.0), message: None });
    ctx.confirm("go_on", "Go on?").await?;
    Ok("done".to_owned())
}
