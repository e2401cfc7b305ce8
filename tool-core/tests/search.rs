//! Tools that find, tell of and call other tools: only what a caller sees is found.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::search::with_search;
use tool_core::{Behavior, Call, Caller, DynTool, Executor, Registry, ToolOutput};

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

/// Tells the time, in no group.
#[tool(title = "The time", destructive, idempotent = false, register = false)]
fn tell_time() -> String {
    "noon".to_owned()
}

#[test]
fn a_row_says_what_a_model_chooses_by() {
    let tools = Registry::builder().add::<MakeWeatherTool>().add::<TellTimeTool>();
    let executor = Executor::standard(with_search(&tools.build().unwrap()).unwrap()).build().unwrap();
    let call = |tool: &str, args: Value| {
        executor.call_blocking(Call::new(tool, args), &ToolContext::empty(), Caller::Llm).unwrap()
    };
    let row = |query: &str| call("search_tools", json!({"query": query})).data().get(0).cloned().unwrap();
    let mut weather = row("make_weather");
    let score = weather.as_object_mut().unwrap().remove("score").unwrap().as_f64().unwrap();
    assert!(score > 0.0 && (score * 1_000.0).fract() == 0.0, "{score}");
    assert_eq!(
        weather,
        json!({"name": "make_weather", "summary": "Changes the weather of a town.", "group": "weather",
            "read_only": false, "destructive": false})
    );
    let time = row("tell_time");
    assert_eq!((&time["title"], &time["destructive"]), (&json!("The time"), &json!(true)));
    assert_eq!(time.get("group"), None);

    let of_group = call("search_tools", json!({"query": "weather time", "group": "weather"})).data();
    assert_eq!(of_group.as_array().unwrap().len(), 1, "{of_group}");
    let none = call("search_tools", json!({"query": "zebra"}));
    let said = json!({"content": none.content}).to_string();
    assert!(said.contains("No tool matches. Use other words; the groups are: weather."), "{said}");

    let told = call("describe_tools", json!({"names": ["tell_time", "tell_tim"]})).data();
    assert_eq!(
        told[0]["annotations"],
        json!({"read_only": false, "destructive": true, "idempotent": false, "open_world": false})
    );
    let nearest = json!({"name": "tell_tim", "error": "There is no such tool.", "nearest": ["tell_time"]});
    assert_eq!(told[1], nearest);
}

#[test]
fn a_row_of_a_tool_that_only_reads_says_so() {
    let found = call("search_tools", json!({"query": "read_weather"})).unwrap().data();
    assert_eq!((&found[0]["name"], &found[0]["read_only"]), (&json!("read_weather"), &json!(true)));
}

/// Tools of which there are only words: name, title, group, description.
fn words(tools: &[(&str, Option<&str>, Option<&str>, &str)]) -> Executor {
    let tools = tools.iter().fold(Registry::builder(), |builder, (name, title, group, description)| {
        let mut tool = DynTool::builder(*name).description(*description).behavior(Behavior::READ);
        if let Some(title) = title {
            tool = tool.title(*title);
        }
        if let Some(group) = group {
            tool = tool.group(*group);
        }
        let tool =
            tool.input_schema(json!({"type": "object", "properties": {}, "additionalProperties": false}));
        builder.add_dyn(tool.handler_sync(|args, _| Ok(ToolOutput::structured(args))).build().unwrap())
    });
    Executor::standard(with_search(&tools.build().unwrap()).unwrap()).build().unwrap()
}

/// The names that a query finds, with their scores.
fn found(executor: &Executor, query: &str) -> Vec<(String, f64)> {
    let call = Call::new("search_tools", json!({"query": query}));
    let rows = executor.call_blocking(call, &ToolContext::empty(), Caller::Llm).unwrap().data();
    let row = |row: &Value| (row["name"].as_str().unwrap().to_owned(), row["score"].as_f64().unwrap());
    rows.as_array().unwrap().iter().map(row).collect()
}

/// The figures were computed by the formula, apart from this program: weights 4, 3, 2 and 1 for name, title, group and text.
#[test]
fn tools_are_ranked_by_bm25() {
    let executor = words(&[
        ("list_files", None, None, "Lists files."),
        ("read_mail", Some("Inbox"), Some("post"), "Reads what came: a letter, or more."),
        ("send_mail", None, None, "Sends a letter."),
    ]);
    let named = |rows: &[(&str, f64)]| -> Vec<(String, f64)> {
        rows.iter().map(|(name, score)| ((*name).to_owned(), *score)).collect()
    };
    assert_eq!(
        found(&executor, "Letter mail, FILES?"),
        named(&[("list_files", 1.811), ("send_mail", 1.334), ("read_mail", 1.131)])
    );
    assert_eq!(found(&executor, "letter letter letter"), found(&executor, "letter"));
    assert_eq!(found(&executor, "inbox")[0].0, "read_mail");
    assert_eq!(found(&executor, "post")[0].0, "read_mail");
    assert_eq!(found(&executor, "nothing of this"), []);
}

#[test]
fn a_tool_of_exactly_that_name_is_first_and_ties_go_by_name() {
    let executor = words(&[
        ("b_twin", None, None, "Tells of twins."),
        ("files_list", None, None, "Files: list files, list files, list files."),
        (
            "list_files",
            None,
            None,
            "Gives the names of what is in a folder, whatever is in it, and how large each is.",
        ),
        ("a_twin", None, None, "Tells of twins."),
    ]);
    let names =
        |query: &str| -> Vec<String> { found(&executor, query).into_iter().map(|row| row.0).collect() };
    assert_eq!(names("list files"), ["files_list", "list_files"]);
    assert_eq!(names(" list_files "), ["list_files", "files_list"]);
    assert_eq!(names("twin"), ["a_twin", "b_twin"]);
}
