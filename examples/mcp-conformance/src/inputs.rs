//! Tools that have the client answer requests of the protocol.

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_mcp::McpCall;

/// A method of the client, with its parameters, under a key.
type Request = (&'static str, &'static str, Value);

fn sampling(key: &'static str, text: &str) -> Request {
    let message = json!({"role": "user", "content": {"type": "text", "text": text}});
    (key, "sampling/createMessage", json!({"messages": [message], "maxTokens": 100}))
}

fn roots() -> Request {
    ("client_roots", "roots/list", json!({}))
}

fn name() -> Request {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    let params = json!({"mode": "form", "message": "What is your name?", "requestedSchema": schema});
    ("user_name", "elicitation/create", params)
}

/// Has the client's model answer.
#[tool]
fn test_input_required_result_sampling(#[ctx] call: &McpCall) -> Result<String, ToolError> {
    let (key, method, params) = sampling("capital_question", "What is the capital of France?");
    Ok(call.input(key, method, params)?.to_string())
}

/// Has the client name its roots.
#[tool]
fn test_input_required_result_list_roots(#[ctx] call: &McpCall) -> Result<String, ToolError> {
    let (key, method, params) = roots();
    Ok(call.input(key, method, params)?.to_string())
}

/// Has the client answer three requests in one round.
#[tool]
fn test_input_required_result_multiple_inputs(#[ctx] call: &McpCall) -> Result<String, ToolError> {
    let answers = call.inputs([name(), sampling("greeting", "Generate a greeting"), roots()])?;
    Ok(Value::from(answers).to_string())
}

/// Requests only what the client has declared.
#[tool]
fn test_input_required_result_capabilities(#[ctx] call: &McpCall) -> Result<String, ToolError> {
    let known = [("elicitation", name()), ("sampling", sampling("greeting", "Generate a greeting"))];
    let declared = known.into_iter().filter(|(capability, _)| call.capabilities().contains_key(*capability));
    Ok(Value::from(call.inputs(declared.map(|row| row.1))?).to_string())
}

/// Needs a client that has a model.
#[tool]
fn test_missing_capability(#[ctx] call: &McpCall) -> Result<String, ToolError> {
    call.require_capability("sampling")?;
    Ok("there".to_owned())
}
