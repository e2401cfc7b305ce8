//! The test of the README.

use serde_json::json;
use tool_core::{Call, Caller, Executor, Registry, ToolContext};

use super::{GreetTool, greet};

#[test]
fn greets_loudly() {
    assert_eq!(greet("Ada", true), "HELLO, ADA!");
    let registry = Registry::builder().add::<GreetTool>().build().unwrap();
    let executor = Executor::standard(registry).build().unwrap();
    let call = Call::new("greet", json!({"name": "Ada", "loud": "true"}));
    let output = executor.call_blocking(call, &ToolContext::empty(), Caller::Test).unwrap();
    assert_eq!(output.data(), "HELLO, ADA!");
}
