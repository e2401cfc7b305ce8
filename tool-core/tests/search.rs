//! Tools that find, tell of and call other tools: only what a caller sees is found.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::search::with_search;
use tool_core::{Call, Caller, Executor, Registry};

/// Reads the weather of a town.
#[tool(group = "weather", register = false)]
fn read_weather(
    /// Which.
    town: &str,
) -> String {
    format!("sunny in {town}")
}

/// Changes the weather of a town.
#[tool(group = "weather", side_effect, idempotent, register = false)]
fn make_weather(
    /// Which.
    town: &str,
) -> String {
    format!("rain in {town}")
}

/// Reads the weather of tomorrow, and is in no list.
#[tool(group = "weather", hidden, register = false)]
fn foresee_weather() -> String {
    "sunny".to_owned()
}

fn call(tool: &str, args: Value) -> ToolResult {
    let tools =
        Registry::builder().add::<ReadWeatherTool>().add::<MakeWeatherTool>().add::<ForeseeWeatherTool>();
    let executor = Executor::standard(with_search(&tools.build().unwrap()).unwrap()).build().unwrap();
    executor.call_blocking(Call::new(tool, args), &ToolContext::empty(), Caller::Llm)
}

#[test]
fn a_caller_without_a_snapshot_finds_every_tool_that_is_listed() {
    let found = call("search_tools", json!({"query": "weather of a town"})).unwrap().data().to_string();
    for (tool, is_found) in [("read_weather", true), ("make_weather", true), ("foresee_weather", false)] {
        assert_eq!(found.contains(tool), is_found, "{tool}: {found}");
    }
    assert!(!found.contains("search_tools"), "{found}");
    let told = call("describe_tools", json!({"names": ["read_weather"]})).unwrap().data().to_string();
    assert!(told.contains("town"), "{told}");
}

#[test]
fn what_only_reads_is_called_as_such_and_what_changes_something_is_not() {
    let args = |tool: &str| json!({"name": tool, "arguments": {"town": "Bonn"}});
    assert_eq!(call("call_read_tool", args("read_weather")).unwrap().data(), "sunny in Bonn");
    assert_eq!(call("call_write_tool", args("make_weather")).unwrap().data(), "rain in Bonn");
    assert!(call("call_read_tool", args("make_weather")).is_err());
    let wrong =
        call("call_read_tool", json!({"name": "read_weather", "arguments": {"twon": "Bonn"}})).unwrap_err();
    let paths: Vec<&str> = wrong.arg_issues().iter().map(|issue| issue.path.as_str()).collect();
    assert_eq!(paths, ["/arguments/town", "/arguments/twon"]);
    assert_eq!(call("call_read_tool", args("search_tools")).unwrap_err().code_str(), "not_a_tool");
}
