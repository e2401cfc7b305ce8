//! What is kept of a call: parameters and outputs with file content are marked for records, and no log has any of it.

#![cfg(test)]

use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::{Call, Caller, Executor, Registry, ToolContext};
use tool_std::{Workspace, WorkspacePolicy};

/// What holds content of files or output of commands, wherever it stands.
const CONTENT: [&str; 10] =
    ["content", "patch", "old", "new", "expect", "excerpts", "matches", "stdout", "stderr", "text"];
/// What is written, edited and searched.
const CANARY: &str = "canary-5f1c0f8a7e";

/// Every property of a schema with its name.
fn properties<'a>(schema: &'a Value, found: &mut Vec<(&'a str, &'a Value)>) {
    match schema {
        Value::Object(members) => {
            for (name, member) in members {
                if name == "properties"
                    && let Some(properties) = member.as_object()
                {
                    found.extend(properties.iter().map(|(name, schema)| (name.as_str(), schema)));
                }
                properties_below(member, found);
            }
        }
        other => properties_below(other, found),
    }
}

fn properties_below<'a>(value: &'a Value, found: &mut Vec<(&'a str, &'a Value)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| properties(item, found)),
        Value::Object(_) => properties(value, found),
        _ => {}
    }
}

#[test]
fn every_parameter_and_output_with_content_is_kept_as_a_hash() {
    let registry = Registry::builder().discover().build().unwrap();
    let mut marked = 0;
    for tool in registry.iter() {
        let def = tool.def();
        let input = def.input_schema().unwrap().schema().clone();
        let schemas = [Some(input), def.output_schema().map(|schema| Value::clone(schema))];
        for schema in schemas.into_iter().flatten() {
            let mut found = Vec::new();
            properties(&schema, &mut found);
            // What stands below a node that is kept as a hash is kept with it.
            let below: Vec<String> = found
                .iter()
                .filter(|(_, schema)| schema["x-log"] == "hash")
                .flat_map(|(_, schema)| {
                    let mut inner = Vec::new();
                    properties(schema, &mut inner);
                    inner.into_iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
                })
                .collect();
            for (name, schema) in &found {
                // An object is no content itself: what it holds is looked at.
                let is_object = schema["type"] == "object" || schema.get("properties").is_some();
                if !is_object && CONTENT.contains(name) && !below.contains(&(*name).to_owned()) {
                    assert_eq!(schema["x-log"], "hash", "{} {name}", tool.name());
                    marked += 1;
                }
            }
        }
    }
    assert!(marked >= 10, "{marked}");
}

#[test]
fn no_log_has_content_of_a_file() {
    let log = tool_trials::Log::default();
    log.of_this_program();
    let root = tool_trials::directory();
    let workspace = Workspace::open(root.path(), WorkspacePolicy::default()).unwrap();
    let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(workspace.for_call(ctx))).build();
    let executor = Executor::standard(Registry::builder().discover().build().unwrap()).build().unwrap();
    let line = |word: &str| format!("{word} {CANARY}\n");
    let patch = format!("@@ -1 +1 @@\n-a {CANARY}\n+b {CANARY}\n");
    let misfit = format!("@@ -1 +1 @@\n-z {CANARY}\n+y {CANARY}\n");
    let calls = [
        ("write_file", json!({"path": "f", "content": line("a")})),
        ("edit_file", json!({"path": "f", "patch": patch})),
        ("edit_file", json!({"path": "f", "patch": misfit})),
        ("replace_text", json!({"path": "f", "old": line("b"), "new": line("c")})),
        ("replace_text", json!({"path": "f", "old": line("nowhere"), "new": line("c")})),
        (
            "edit_lines",
            json!({"path": "f", "patches": [{"start_line": 1, "end_line": 1, "content": line("d")}]}),
        ),
        ("read_file", json!({"path": "f"})),
        ("search_files", json!({"pattern": "d c"})),
    ];
    let mut ended_well = 0;
    for (tool, args) in calls {
        let result = executor.call_blocking(Call::new(tool, args), &ctx, Caller::Llm);
        ended_well += usize::from(result.is_ok());
    }
    assert_eq!(ended_well, 6);
    tracing::info!("the log is kept");
    let text = log.text();
    assert!(text.contains("the log is kept"));
    assert!(!text.contains(CANARY), "{text}");
}
